/* fields.c - cut paste join comm column expand unexpand: columns of text. */
#include "box.h"
#include "tools.h"

#include <ctype.h>
#include <getopt.h>

/* ---- ranges ---- */

Ranges parse_ranges(const char *list, const char *what)
{
	Ranges rs = {0};
	const char *p = list;
	for (;;) {
		Range r = {1, SIZE_MAX};
		bool lo = false, hi = false, dash = false;
		if (isdigit((unsigned char)*p)) {
			r.lo = strtoull(p, (char **)&p, 10);
			lo = true;
			if (r.lo == 0)
				die(1, "%ss are numbered from 1", what);
		}
		if (*p == '-') {
			dash = true;
			p++;
			if (isdigit((unsigned char)*p)) {
				r.hi = strtoull(p, (char **)&p, 10);
				hi = true;
			}
		} else
			r.hi = r.lo;
		if (!lo && !hi)
			die(1, dash ? "invalid range with no endpoint: %s" : "invalid %s value '%s'",
			    dash ? list : what, list);
		if (r.hi < r.lo)
			die(1, "invalid decreasing range");
		GROW(rs.r, rs.n, rs.cap);
		rs.r[rs.n++] = r;
		if (*p != ',' && *p != ' ')
			break;
		p++;
	}
	if (*p)
		die(1, "invalid %s value '%s'", what, p);
	return rs;
}

bool in_ranges(const Ranges *rs, size_t i)
{
	for (size_t k = 0; k < rs->n; k++)
		if (i >= rs->r[k].lo && i <= rs->r[k].hi)
			return true;
	return false;
}

static bool starts_range(const Ranges *rs, size_t i)
{
	for (size_t k = 0; k < rs->n; k++)
		if (i == rs->r[k].lo)
			return true;
	return false;
}

/* ---- cut ---- */

struct cut {
	Ranges list;
	bool fields, only_delimited, complement;
	char delim;
	int record;
	const char *out_delim;
};

static bool cut_wants(const struct cut *o, size_t i) { return in_ranges(&o->list, i) != o->complement; }

static void cut_bytes(const struct cut *o, const char *s, size_t n)
{
	bool printed = false, was = false;
	for (size_t i = 1; i <= n; i++) {
		bool want = cut_wants(o, i);
		if (want) {
			if (o->out_delim && printed && (!was || (!o->complement && starts_range(&o->list, i))))
				out_str(o->out_delim);
			out_char(s[i - 1]);
			printed = true;
		}
		was = want;
	}
}

static void cut_fields(const struct cut *o, const char *s, size_t n)
{
	bool printed = false;
	size_t field = 1;
	const char *end = s + n;
	for (const char *p = s;; field++) {
		const char *d = memchr(p, o->delim, (size_t)(end - p));
		if (cut_wants(o, field)) {
			if (printed) {
				if (o->out_delim)
					out_str(o->out_delim);
				else
					out_char(o->delim);
			}
			out(p, (size_t)((d ? d : end) - p));
			printed = true;
		}
		if (!d)
			break;
		p = d + 1;
	}
}

static int cut_file(Reader *r, void *state)
{
	const struct cut *o = state;
	char *s;
	size_t n;
	while (reader_record(r, o->record, &s, &n, NULL)) {
		if (o->fields) {
			if (memchr(s, o->delim, n))
				cut_fields(o, s, n);
			else if (o->only_delimited)
				continue;
			else
				out(s, n);
		} else
			cut_bytes(o, s, n);
		out_char(o->record);
	}
	return 0;
}

int cut_main(int argc, char **argv)
{
	static const struct option longs[] = {{"bytes", 1, 0, 'b'}, {"characters", 1, 0, 'c'}, {"fields", 1, 0, 'f'},
					      {"delimiter", 1, 0, 'd'}, {"only-delimited", 0, 0, 's'},
					      {"complement", 0, 0, 1}, {"output-delimiter", 1, 0, 2},
					      {"zero-terminated", 0, 0, 'z'}, {0, 0, 0, 0}};
	struct cut o = {.delim = '\t', .record = '\n'};
	int kinds = 0;
	bool has_delim = false;
	for (int c; (c = getopt_long(argc, argv, "b:c:f:d:snz", longs, NULL)) != -1;)
		switch (c) {
		case 'b': case 'c': o.list = parse_ranges(optarg, "byte/character position"); kinds++; break;
		case 'f': o.list = parse_ranges(optarg, "field"); o.fields = true; kinds++; break;
		case 'd':
			if (optarg[0] && optarg[1])
				usage_error("the delimiter must be a single character");
			o.delim = optarg[0];
			has_delim = true;
			break;
		case 's': o.only_delimited = true; break;
		case 'n': break;
		case 'z': o.record = 0; break;
		case 1: o.complement = true; break;
		case 2: o.out_delim = optarg; break;
		default: usage_error("bad option");
		}
	if (kinds != 1)
		usage_error(kinds ? "only one list may be specified"
				  : "you must specify a list of bytes, characters, or fields");
	if (has_delim && !o.fields)
		usage_error("an input delimiter may be specified only when operating on fields");
	return each_input(argc, argv, optind, cut_file, &o);
}

/* ---- paste ---- */

int paste_main(int argc, char **argv)
{
	static const struct option longs[] = {{"delimiters", 1, 0, 'd'}, {"serial", 0, 0, 's'}, {"zero-terminated", 0, 0, 'z'}, {0, 0, 0, 0}};
	const char *list = "\\t";
	bool serial = false;
	int end = '\n';
	for (int c; (c = getopt_long(argc, argv, "d:sz", longs, NULL)) != -1;)
		switch (c) {
		case 'd': list = optarg; break;
		case 's': serial = true; break;
		case 'z': end = 0; break;
		default: usage_error("bad option");
		}
	int delims[256], nd = 0; /* -1: none */
	for (const char *p = list; *p && nd < 256;) {
		if (*p == '\\' && p[1]) {
			p++;
			if (*p == '0') {
				delims[nd++] = -1;
				p++;
			} else
				delims[nd++] = unescape_char(&p);
		} else
			delims[nd++] = (unsigned char)*p++;
	}
	if (nd == 0)
		delims[nd++] = -1;
	static char *none[] = {"-", NULL};
	char **names = optind < argc ? argv + optind : none;
	int n = optind < argc ? argc - optind : 1, status = 0;
	Reader *in = xcalloc((size_t)n, sizeof *in);
	bool *open = xcalloc((size_t)n, sizeof *open);
	Reader standard;
	reader_from_fd(&standard, 0, "-");
	char *s;
	size_t len;
	for (int i = 0; i < n; i++) {
		open[i] = !strcmp(names[i], "-") || reader_open(&in[i], names[i]);
		if (!open[i]) {
			status = 1;
			if (!serial)
				return 1;
		}
	}
#define INPUT(i) (!strcmp(names[i], "-") ? &standard : &in[i])
	if (serial) {
		for (int i = 0; i < n; i++) {
			if (!open[i])
				continue;
			for (int k = 0; reader_record(INPUT(i), end, &s, &len, NULL); k++) {
				if (k > 0 && delims[(k - 1) % nd] >= 0)
					out_char(delims[(k - 1) % nd]);
				out(s, len);
			}
			out_char(end);
		}
		return status;
	}
	for (;;) {
		Text line = {0};
		text_reserve(&line, 0);
		bool any = false;
		for (int i = 0; i < n; i++) {
			if (open[i] && reader_record(INPUT(i), end, &s, &len, NULL)) {
				any = true;
				text_add(&line, s, len);
			} else
				open[i] = false;
			if (i + 1 < n && delims[i % nd] >= 0)
				text_char(&line, delims[i % nd]);
		}
		if (!any)
			return status;
		out(line.s, line.len);
		out_char(end);
		free(line.s);
	}
#undef INPUT
}

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

/* ---- comm ---- */

int comm_main(int argc, char **argv)
{
	static const struct option longs[] = {{"output-delimiter", 1, 0, 1}, {"total", 0, 0, 2}, {"check-order", 0, 0, 3},
					      {"nocheck-order", 0, 0, 3}, {"zero-terminated", 0, 0, 'z'}, {0, 0, 0, 0}};
	bool hide[3] = {false}, total = false;
	const char *delim = "\t";
	int end = '\n';
	for (int c; (c = getopt_long(argc, argv, "123z", longs, NULL)) != -1;)
		switch (c) {
		case '1': case '2': case '3': hide[c - '1'] = true; break;
		case 'z': end = 0; break;
		case 1: delim = optarg; break;
		case 2: total = true; break;
		case 3: break;
		default: usage_error("bad option");
		}
	require_args(argc, optind, 2, 2);
	Reader in[2];
	char *s[2];
	size_t n[2];
	bool more[2];
	unsigned long long counts[3] = {0};
	for (int i = 0; i < 2; i++)
		if (!reader_open(&in[i], argv[optind + i]))
			return 1;
	for (int i = 0; i < 2; i++)
		more[i] = reader_record(&in[i], end, &s[i], &n[i], NULL);
	while (more[0] || more[1]) {
		int c = 0;
		if (!more[0])
			c = 1;
		else if (!more[1])
			c = -1;
		else {
			size_t k = n[0] < n[1] ? n[0] : n[1];
			c = memcmp(s[0], s[1], k);
			if (c == 0)
				c = (n[0] > n[1]) - (n[0] < n[1]);
		}
		int column = c < 0 ? 0 : c > 0 ? 1 : 2, from = c > 0;
		counts[column]++;
		if (!hide[column]) {
			for (int k = 0; k < column; k++)
				if (!hide[k])
					out_str(delim);
			out(s[from], n[from]);
			out_char(end);
		}
		for (int i = 0; i < 2; i++)
			if (column == 2 || column == i)
				more[i] = reader_record(&in[i], end, &s[i], &n[i], NULL);
	}
	if (total)
		out_printf("%llu%s%llu%s%llu%stotal\n", counts[0], delim, counts[1], delim, counts[2], delim);
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

/* ---- expand, unexpand ---- */

struct tabs {
	size_t stop[256];
	size_t n;
	bool initial, all;
};

static void parse_tabs(struct tabs *t, const char *list)
{
	t->n = 0;
	for (const char *p = list; *p;) {
		char *end;
		unsigned long v = strtoul(p, &end, 10);
		if (end == p || v == 0 || (t->n && v <= t->stop[t->n - 1]))
			usage_error("invalid tab stops: '%s'", list);
		if (t->n < 256)
			t->stop[t->n++] = v;
		p = *end == ',' || *end == ' ' ? end + 1 : end;
		if (*end && end == p)
			usage_error("invalid tab stops: '%s'", list);
	}
}

/* next_stop is the first tab stop after column; 0 when there is none. */
static size_t next_stop(const struct tabs *t, size_t column)
{
	if (t->n == 1)
		return column + t->stop[0] - column % t->stop[0];
	for (size_t i = 0; i < t->n; i++)
		if (t->stop[i] > column)
			return t->stop[i];
	return 0;
}

static int expand_file(Reader *r, void *state)
{
	const struct tabs *t = state;
	char *s;
	size_t n;
	bool newline;
	while (reader_record(r, '\n', &s, &n, &newline)) {
		size_t column = 0;
		bool blank = true;
		for (size_t i = 0; i < n; i++) {
			if (s[i] == '\t' && (blank || !t->initial)) {
				size_t stop = next_stop(t, column);
				if (!stop)
					stop = column + 1;
				while (column < stop) {
					out_char(' ');
					column++;
				}
				continue;
			}
			if (s[i] == '\b')
				column -= column > 0;
			else
				column++;
			if (!isblank((unsigned char)s[i]))
				blank = false;
			out_char(s[i]);
		}
		if (newline)
			out_char('\n');
	}
	return 0;
}

static int unexpand_file(Reader *r, void *state)
{
	const struct tabs *t = state;
	char *s;
	size_t n;
	bool newline;
	while (reader_record(r, '\n', &s, &n, &newline)) {
		size_t column = 0;
		bool convert = true;
		for (size_t i = 0; i < n;) {
			size_t end = i, to = column;
			while (convert && end < n && (s[end] == ' ' || s[end] == '\t')) {
				size_t stop = next_stop(t, to);
				to = s[end] == '\t' && stop ? stop : to + 1;
				end++;
			}
			if (end == i) {
				if (s[i] == '\b')
					column -= column > 0;
				else
					column++;
				out_char(s[i++]);
				if (!t->all)
					convert = false;
				continue;
			}
			/* A run of blanks: as many tabs as reach a stop, then spaces. A
			 * single space before a stop stays a space unless more follows. */
			size_t at = column, spaces_from = i;
			while (true) {
				size_t stop = next_stop(t, at);
				if (!stop || stop > to)
					break;
				bool lone = stop == at + 1 && s[spaces_from] == ' ' && stop == to;
				out_char(lone && end - i == 1 ? ' ' : '\t');
				at = stop;
				spaces_from = spaces_from + 1 < end ? spaces_from + 1 : spaces_from;
			}
			for (; at < to; at++)
				out_char(' ');
			column = to;
			i = end;
		}
		if (newline)
			out_char('\n');
	}
	return 0;
}

static int tabs_main(int argc, char **argv, bool unexpand)
{
	static const struct option longs[] = {{"tabs", 1, 0, 't'}, {"initial", 0, 0, 'i'}, {"all", 0, 0, 'a'},
					      {"first-only", 0, 0, 'f'}, {0, 0, 0, 0}};
	struct tabs t = {.stop = {8}, .n = 1};
	bool first_only = false;
	for (int c; (c = getopt_long(argc, argv, "t:iaf", longs, NULL)) != -1;)
		switch (c) {
		case 't': parse_tabs(&t, optarg); t.all = true; break;
		case 'i': t.initial = true; break;
		case 'a': t.all = true; break;
		case 'f': first_only = true; break;
		default: usage_error("bad option");
		}
	if (first_only)
		t.all = false;
	return each_input(argc, argv, optind, unexpand ? unexpand_file : expand_file, &t);
}

int expand_main(int argc, char **argv) { return tabs_main(argc, argv, false); }
int unexpand_main(int argc, char **argv) { return tabs_main(argc, argv, true); }
