/* tables.c - join and column: files as tables of fields. */
#include "box.h"
#include "tools.h"

#include <ctype.h>
#include <getopt.h>

/* ---- join ---- */

typedef struct {
	char *text;
	size_t len;
	char **field;
	size_t *field_len;
	size_t n;
} Row;

typedef struct {
	Row *rows;
	size_t n, cap;
} Rows;

struct join {
	int delim; /* -1: blanks */
	bool ignore_case;
	size_t key[2];
	bool unpaired[2], paired;
	const char *empty;
	struct {
		int file; /* 0: the key */
		size_t field;
	} *format;
	size_t nformat, capformat;
	bool automatic;
	size_t auto_fields[2];
};

static void split_row(const struct join *o, Row *row)
{
	size_t cap = 0;
	const char *p = row->text, *end = row->text + row->len;
	for (;;) {
		const char *stop;
		if (o->delim < 0) {
			while (p < end && isblank((unsigned char)*p))
				p++;
			if (p == end && row->n)
				return;
			stop = p;
			while (stop < end && !isblank((unsigned char)*stop))
				stop++;
			if (stop == p && row->n)
				return;
		} else {
			stop = memchr(p, o->delim, (size_t)(end - p));
			if (!stop)
				stop = end;
		}
		if (row->n == cap) {
			cap = cap ? cap * 2 : 8;
			row->field = xrealloc(row->field, cap * sizeof *row->field);
			row->field_len = xrealloc(row->field_len, cap * sizeof *row->field_len);
		}
		row->field[row->n] = (char *)p;
		row->field_len[row->n++] = (size_t)(stop - p);
		if (stop == end)
			return;
		p = stop + 1;
	}
}

static Rows join_read(const struct join *o, const char *name)
{
	Reader r;
	Rows rows = {0};
	if (!reader_open(&r, name))
		exit(1);
	char *s;
	size_t n;
	while (reader_record(&r, '\n', &s, &n, NULL)) {
		GROW(rows.rows, rows.n, rows.cap);
		Row *row = &rows.rows[rows.n++];
		memset(row, 0, sizeof *row);
		row->text = xmemdup(s, n);
		row->len = n;
		split_row(o, row);
	}
	reader_close(&r);
	return rows;
}

static int join_compare(const struct join *o, const Row *a, const Row *b)
{
	size_t ka = o->key[0], kb = o->key[1];
	size_t na = ka < a->n ? a->field_len[ka] : 0, nb = kb < b->n ? b->field_len[kb] : 0;
	size_t n = na < nb ? na : nb;
	for (size_t i = 0; i < n; i++) {
		int x = (unsigned char)a->field[ka][i], y = (unsigned char)b->field[kb][i];
		if (o->ignore_case) {
			x = tolower(x);
			y = tolower(y);
		}
		if (x != y)
			return x - y;
	}
	return (na > nb) - (na < nb);
}

static void join_field(const struct join *o, const Row *row, size_t i, bool *first)
{
	if (!*first)
		out_char(o->delim < 0 ? ' ' : o->delim);
	*first = false;
	if (row && i < row->n && row->field_len[i])
		out(row->field[i], row->field_len[i]);
	else
		out_str(o->empty);
}

static void join_print(const struct join *o, const Row *a, const Row *b)
{
	bool first = true;
	const Row *key = a ? a : b;
	size_t key_field = a ? o->key[0] : o->key[1];
	if (o->nformat) {
		for (size_t i = 0; i < o->nformat; i++) {
			if (o->format[i].file == 0)
				join_field(o, key, key_field, &first);
			else
				join_field(o, o->format[i].file == 1 ? a : b, o->format[i].field, &first);
		}
	} else {
		join_field(o, key, key_field, &first);
		const Row *both[2] = {a, b};
		for (int f = 0; f < 2; f++) {
			size_t n = o->automatic ? o->auto_fields[f] : both[f] ? both[f]->n : 0;
			for (size_t i = 0; i < n; i++)
				if (i != o->key[f])
					join_field(o, both[f], i, &first);
		}
	}
	out_char('\n');
}

static void join_format(struct join *o, char *list)
{
	if (!strcmp(list, "auto")) {
		o->automatic = true;
		return;
	}
	for (char *p = strtok(list, " ,\t"); p; p = strtok(NULL, " ,\t")) {
		GROW(o->format, o->nformat, o->capformat);
		if (!strcmp(p, "0"))
			o->format[o->nformat].file = 0;
		else if ((*p == '1' || *p == '2') && p[1] == '.' && atoi(p + 2) > 0) {
			o->format[o->nformat].file = *p - '0';
			o->format[o->nformat].field = (size_t)atoi(p + 2) - 1;
		} else
			usage_error("invalid field specifier: '%s'", p);
		o->nformat++;
	}
}

int join_main(int argc, char **argv)
{
	struct join o = {.delim = -1, .paired = true, .empty = ""};
	bool header = false;
	for (int c; (c = getopt_long(argc, argv, "1:2:j:t:a:v:e:o:i",
				     (struct option[]){{"ignore-case", 0, 0, 'i'}, {"header", 0, 0, 3}, {"nocheck-order", 0, 0, 4}, {"check-order", 0, 0, 4}, {0, 0, 0, 0}},
				     NULL)) != -1;)
		switch (c) {
		case '1': o.key[0] = (size_t)parse_int(optarg, "field number") - 1; break;
		case '2': o.key[1] = (size_t)parse_int(optarg, "field number") - 1; break;
		case 'j': o.key[0] = o.key[1] = (size_t)parse_int(optarg, "field number") - 1; break;
		case 't': o.delim = !strcmp(optarg, "\\t") ? '\t' : (unsigned char)optarg[0]; break;
		case 'a': o.unpaired[optarg[0] == '2'] = true; break;
		case 'v': o.unpaired[optarg[0] == '2'] = true; o.paired = false; break;
		case 'e': o.empty = optarg; break;
		case 'o': join_format(&o, optarg); break;
		case 'i': o.ignore_case = true; break;
		case 3: header = true; break;
		case 4: break;
		default: usage_error("bad option");
		}
	require_args(argc, optind, 2, 2);
	Rows a = join_read(&o, argv[optind]), b = join_read(&o, argv[optind + 1]);
	o.auto_fields[0] = a.n ? a.rows[0].n : 0;
	o.auto_fields[1] = b.n ? b.rows[0].n : 0;
	size_t i = 0, j = 0;
	if (header && a.n && b.n) {
		join_print(&o, &a.rows[0], &b.rows[0]);
		i = j = 1;
	}
	while (i < a.n || j < b.n) {
		int c = i == a.n ? 1 : j == b.n ? -1 : join_compare(&o, &a.rows[i], &b.rows[j]);
		if (c < 0) {
			if (o.unpaired[0])
				join_print(&o, &a.rows[i], NULL);
			i++;
		} else if (c > 0) {
			if (o.unpaired[1])
				join_print(&o, NULL, &b.rows[j]);
			j++;
		} else {
			size_t i2 = i + 1, j2 = j + 1;
			while (i2 < a.n && join_compare(&o, &a.rows[i2], &b.rows[j]) == 0)
				i2++;
			while (j2 < b.n && join_compare(&o, &a.rows[i], &b.rows[j2]) == 0)
				j2++;
			for (size_t x = i; x < i2 && o.paired; x++)
				for (size_t y = j; y < j2; y++)
					join_print(&o, &a.rows[x], &b.rows[y]);
			i = i2;
			j = j2;
		}
	}
	return 0;
}

/* ---- column ---- */

/* display_width counts UTF-8 sequences as one column. */
static size_t display_width(const char *s, size_t n)
{
	size_t w = 0;
	for (size_t i = 0; i < n; i++)
		w += ((unsigned char)s[i] & 0xC0) != 0x80;
	return w;
}

struct column {
	bool table;
	const char *separators, *gap;
	Rows rows;
	size_t width;
};

static int column_file(Reader *r, void *state)
{
	struct column *o = state;
	char *s;
	size_t n;
	while (reader_record(r, '\n', &s, &n, NULL)) {
		size_t k = 0;
		while (k < n && isspace((unsigned char)s[k]))
			k++;
		if (k == n)
			continue; /* blank lines are dropped */
		GROW(o->rows.rows, o->rows.n, o->rows.cap);
		Row *row = &o->rows.rows[o->rows.n++];
		memset(row, 0, sizeof *row);
		row->text = xmemdup(s, n);
		row->len = n;
		size_t cap = 0;
		const char *p = row->text, *end = row->text + n;
		while (o->table) {
			if (!o->separators)
				while (p < end && isspace((unsigned char)*p))
					p++;
			if (!o->separators && p == end)
				break;
			const char *stop = p;
			while (stop < end && !(o->separators ? strchr(o->separators, *stop) != NULL : isspace((unsigned char)*stop)))
				stop++;
			if (row->n == cap) {
				cap = cap ? cap * 2 : 8;
				row->field = xrealloc(row->field, cap * sizeof *row->field);
				row->field_len = xrealloc(row->field_len, cap * sizeof *row->field_len);
			}
			row->field[row->n] = (char *)p;
			row->field_len[row->n++] = (size_t)(stop - p);
			if (stop == end)
				break;
			p = stop + 1;
		}
	}
	return 0;
}

static void column_table(const struct column *o)
{
	size_t columns = 0;
	for (size_t i = 0; i < o->rows.n; i++)
		if (o->rows.rows[i].n > columns)
			columns = o->rows.rows[i].n;
	size_t *width = xcalloc(columns + 1, sizeof *width);
	for (size_t i = 0; i < o->rows.n; i++)
		for (size_t k = 0; k < o->rows.rows[i].n; k++) {
			size_t w = display_width(o->rows.rows[i].field[k], o->rows.rows[i].field_len[k]);
			if (w > width[k])
				width[k] = w;
		}
	for (size_t i = 0; i < o->rows.n; i++) {
		const Row *row = &o->rows.rows[i];
		for (size_t k = 0; k < columns; k++) {
			const char *f = k < row->n ? row->field[k] : "";
			size_t n = k < row->n ? row->field_len[k] : 0;
			out(f, n);
			if (k + 1 == columns)
				break;
			for (size_t w = display_width(f, n); w < width[k]; w++)
				out_char(' ');
			out_str(o->gap);
		}
		out_char('\n');
	}
}

/* column_fill lays items out top to bottom, as many columns as fit. */
static void column_fill(const struct column *o)
{
	size_t longest = 0, n = o->rows.n;
	for (size_t i = 0; i < n; i++) {
		size_t w = display_width(o->rows.rows[i].text, o->rows.rows[i].len);
		if (w > longest)
			longest = w;
	}
	longest = (longest + 8) & ~(size_t)7;
	size_t columns = o->width / longest;
	if (columns < 1)
		columns = 1;
	size_t lines = (n + columns - 1) / columns;
	for (size_t l = 0; l < lines; l++) {
		for (size_t i = l; i < n; i += lines) {
			const Row *row = &o->rows.rows[i];
			out(row->text, row->len);
			if (i + lines < n)
				for (size_t w = display_width(row->text, row->len); w < longest; w = (w + 8) & ~(size_t)7)
					out_char('\t');
		}
		out_char('\n');
	}
}

int column_main(int argc, char **argv)
{
	static const struct option longs[] = {{"table", 0, 0, 't'}, {"separator", 1, 0, 's'}, {"output-separator", 1, 0, 'o'},
					      {"output-width", 1, 0, 'c'}, {0, 0, 0, 0}};
	struct column o = {.gap = "  ", .width = 80};
	for (int c; (c = getopt_long(argc, argv, "ts:o:c:", longs, NULL)) != -1;)
		switch (c) {
		case 't': o.table = true; break;
		case 's': o.separators = optarg; break;
		case 'o': o.gap = optarg; break;
		case 'c': o.width = (size_t)parse_int(optarg, "columns"); break;
		default: usage_error("bad option");
		}
	int status = each_input(argc, argv, optind, column_file, &o);
	if (o.table)
		column_table(&o);
	else if (o.rows.n)
		column_fill(&o);
	return status;
}
