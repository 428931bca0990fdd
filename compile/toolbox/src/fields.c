/* fields.c - cut paste comm expand unexpand: columns of text. */
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
