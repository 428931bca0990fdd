/* diff.c - diff: how two files or trees differ.
 *
 * Myers' O(ND) algorithm in its linear-space form over line classes, after the
 * common head and tail are set aside; runs of changes are then slid down, as
 * GNU diff does, so that hunks fall where people expect them. */
#include "box.h"
#include "regex.h"
#include "tools.h"

#include <ctype.h>
#include <getopt.h>
#include <time.h>

typedef struct {
	const char *name, *label;
	Text text;
	char **line;
	size_t *len;
	size_t n;
	bool no_newline; /* at the end */
	int *id;         /* lines with the same id are equal */
	bool *changed;   /* deleted from or inserted in this file */
	time_t mtime;
	bool missing;
} Side;

static struct {
	char style; /* n normal, u unified, c context, e ed, q brief, y side by side */
	long context;
	bool recursive, new_file, report_same, text, strip_cr;
	bool ignore_case, ignore_space, ignore_change, ignore_trailing, ignore_blank;
	const char *label[2];
	int nlabels;
	Regex *show_function;
	const char **exclude;
	size_t nexclude, capexclude;
	Text command; /* the options given, for "diff -r a b" headings */
} d = {.style = 'n', .context = 3};

/* ---- lines ---- */

static void split_lines(Side *s)
{
	size_t cap = 0, cap_len = 0;
	for (size_t at = 0; at < s->text.len;) {
		char *nl = memchr(s->text.s + at, '\n', s->text.len - at);
		size_t end = nl ? (size_t)(nl - s->text.s) : s->text.len;
		GROW(s->line, s->n, cap);
		if (cap_len != cap) {
			s->len = xrealloc(s->len, cap * sizeof *s->len);
			cap_len = cap;
		}
		s->line[s->n] = s->text.s + at;
		s->len[s->n++] = end - at;
		at = end + 1;
		s->no_newline = !nl;
	}
	s->changed = xcalloc(s->n + 2, sizeof *s->changed);
	s->changed++; /* so that [-1] and [n] exist */
	s->id = xcalloc(s->n + 1, sizeof *s->id);
}

/* canonical writes the line as the options see it. */
static void canonical(const Side *s, size_t i, Text *t)
{
	t->len = 0;
	const char *p = s->line[i];
	size_t n = s->len[i];
	if (d.strip_cr && n && p[n - 1] == '\r')
		n--;
	if (d.ignore_trailing || d.ignore_change || d.ignore_space)
		while (n && isspace((unsigned char)p[n - 1]))
			n--;
	for (size_t k = 0; k < n; k++) {
		unsigned char c = (unsigned char)p[k];
		if (isspace(c) && d.ignore_space)
			continue;
		if (isspace(c) && d.ignore_change) {
			while (k + 1 < n && isspace((unsigned char)p[k + 1]))
				k++;
			c = ' ';
		}
		text_char(t, d.ignore_case ? tolower(c) : c);
	}
	if (s->no_newline && i + 1 == s->n && !d.ignore_trailing && !d.ignore_change && !d.ignore_space)
		text_char(t, 0); /* a missing final newline is a difference */
	text_reserve(t, 0);
}

static void number_lines(Side *both[2])
{
	size_t total = both[0]->n + both[1]->n, size = 64;
	while (size < 2 * total)
		size *= 2;
	struct slot {
		char *s;
		size_t n;
	} *slots = xcalloc(size, sizeof *slots);
	Text t = {0};
	for (int f = 0; f < 2; f++)
		for (size_t i = 0; i < both[f]->n; i++) {
			canonical(both[f], i, &t);
			uint64_t h = 14695981039346656037u;
			for (size_t k = 0; k < t.len; k++)
				h = (h ^ (unsigned char)t.s[k]) * 1099511628211u;
			size_t at = (size_t)(h ^ h >> 32) & (size - 1);
			while (slots[at].s && (slots[at].n != t.len || memcmp(slots[at].s, t.s, t.len)))
				at = (at + 1) & (size - 1);
			if (!slots[at].s)
				slots[at] = (struct slot){xmemdup(t.s, t.len), t.len};
			both[f]->id[i] = (int)at;
		}
	for (size_t i = 0; i < size; i++)
		free(slots[i].s);
	free(slots);
}

/* ---- comparison ---- */

static struct {
	const int *a, *b;
	bool *del, *ins;
	long *forward, *backward; /* furthest x on each diagonal, offset by b's length + 1 */
} my;

/* middle_snake finds where an optimal path crosses the middle. */
static void middle(long x0, long x1, long y0, long y1, long *mx, long *my_)
{
	long *fd = my.forward, *bd = my.backward;
	long dmin = x0 - y1, dmax = x1 - y0, fmid = x0 - y0, bmid = x1 - y1;
	long fmin = fmid, fmax = fmid, bmin = bmid, bmax = bmid;
	bool odd = (fmid - bmid) & 1;
	fd[fmid] = x0;
	bd[bmid] = x1;
	for (;;) {
		fmin > dmin ? fd[--fmin - 1] = -1 : ++fmin;
		fmax < dmax ? fd[++fmax + 1] = -1 : --fmax;
		for (long k = fmax; k >= fmin; k -= 2) {
			long lo = fd[k - 1], hi = fd[k + 1], x = lo < hi ? hi : lo + 1, y = x - k;
			while (x < x1 && y < y1 && my.a[x] == my.b[y])
				x++, y++;
			fd[k] = x;
			if (odd && bmin <= k && k <= bmax && bd[k] <= x) {
				*mx = x;
				*my_ = y;
				return;
			}
		}
		bmin > dmin ? bd[--bmin - 1] = x1 + 1 : ++bmin;
		bmax < dmax ? bd[++bmax + 1] = x1 + 1 : --bmax;
		for (long k = bmax; k >= bmin; k -= 2) {
			long lo = bd[k - 1], hi = bd[k + 1], x = lo < hi ? lo : hi - 1, y = x - k;
			while (x > x0 && y > y0 && my.a[x - 1] == my.b[y - 1])
				x--, y--;
			bd[k] = x;
			if (!odd && fmin <= k && k <= fmax && x <= fd[k]) {
				*mx = x;
				*my_ = y;
				return;
			}
		}
	}
}

static void compare(long x0, long x1, long y0, long y1)
{
	while (x0 < x1 && y0 < y1 && my.a[x0] == my.b[y0])
		x0++, y0++;
	while (x0 < x1 && y0 < y1 && my.a[x1 - 1] == my.b[y1 - 1])
		x1--, y1--;
	if (x0 == x1)
		while (y0 < y1)
			my.ins[y0++] = true;
	else if (y0 == y1)
		while (x0 < x1)
			my.del[x0++] = true;
	else {
		long mx, m;
		middle(x0, x1, y0, y1, &mx, &m);
		compare(x0, mx, y0, m);
		compare(mx, x1, m, y1);
	}
}

/* slide moves each run of changes as far down as equal lines allow, joining
 * runs on the way, and back up if that makes it line up with the other file. */
static void slide(Side *s, Side *other)
{
	long i = 0, j = 0, n = (long)s->n;
	bool *c = s->changed, *o = other->changed;
	for (;;) {
		while (i < n && !c[i]) {
			while (o[j++])
				;
			i++;
		}
		if (i == n)
			return;
		long start = i, run, aligned;
		while (c[++i])
			;
		while (o[j])
			j++;
		do {
			run = i - start;
			while (start > 0 && s->id[start - 1] == s->id[i - 1]) {
				c[--start] = true;
				c[--i] = false;
				while (c[start - 1])
					start--;
				while (o[--j])
					;
			}
			aligned = o[j - 1] ? i : n;
			while (i != n && s->id[start] == s->id[i]) {
				c[start++] = false;
				c[i++] = true;
				while (c[i])
					i++;
				while (o[++j])
					aligned = i;
			}
		} while (run != i - start);
		while (aligned < i) {
			c[--start] = true;
			c[--i] = false;
			while (o[--j])
				;
		}
	}
}

typedef struct {
	long a, na, b, nb; /* lines a … a+na-1 become b … b+nb-1 (from 0) */
} Change;

typedef struct {
	Change *c;
	size_t n, cap;
} Changes;

static bool only_blank(const Side *s, long from, long n)
{
	for (long i = from; i < from + n; i++)
		if (s->len[i] > 0)
			return false;
	return true;
}

static Changes find_changes(Side *x, Side *y)
{
	Side *both[2] = {x, y};
	number_lines(both);
	size_t diagonals = x->n + y->n + 3;
	long *f = xmalloc(diagonals * sizeof *f), *b = xmalloc(diagonals * sizeof *b);
	my.a = x->id;
	my.b = y->id;
	my.del = x->changed;
	my.ins = y->changed;
	my.forward = f + y->n + 1;
	my.backward = b + y->n + 1;
	compare(0, (long)x->n, 0, (long)y->n);
	free(f);
	free(b);
	slide(x, y);
	slide(y, x);
	Changes cs = {0};
	for (long i = 0, j = 0; i < (long)x->n || j < (long)y->n;) {
		Change c = {.a = i, .b = j};
		while (i < (long)x->n && x->changed[i])
			i++;
		while (j < (long)y->n && y->changed[j])
			j++;
		c.na = i - c.a;
		c.nb = j - c.b;
		if (c.na == 0 && c.nb == 0) { /* a common line */
			i++;
			j++;
			continue;
		}
		if (d.ignore_blank && only_blank(x, c.a, c.na) && only_blank(y, c.b, c.nb))
			continue;
		GROW(cs.c, cs.n, cs.cap);
		cs.c[cs.n++] = c;
	}
	return cs;
}

/* ---- output ---- */

static void put_line(const char *mark, const Side *s, long i)
{
	out_str(mark);
	out_line(s->line[i], s->len[i]);
	if (s->no_newline && i + 1 == (long)s->n)
		out_str("\\ No newline at end of file\n");
}

/* put_range writes from,to the way normal diffs do (an empty range names the
 * line before it). */
static void put_range(long from, long n)
{
	if (n == 0)
		out_printf("%ld", from);
	else if (n == 1)
		out_printf("%ld", from + 1);
	else
		out_printf("%ld,%ld", from + 1, from + n);
}

static void print_normal(const Side *x, const Side *y, const Changes *cs)
{
	for (size_t i = 0; i < cs->n; i++) {
		const Change *c = &cs->c[i];
		put_range(c->a, c->na);
		out_char(c->na == 0 ? 'a' : c->nb == 0 ? 'd' : 'c');
		put_range(c->b, c->nb);
		out_char('\n');
		for (long k = 0; k < c->na; k++)
			put_line("< ", x, c->a + k);
		if (c->na && c->nb)
			out_str("---\n");
		for (long k = 0; k < c->nb; k++)
			put_line("> ", y, c->b + k);
	}
}

static void print_ed(const Side *y, const Changes *cs)
{
	for (size_t i = cs->n; i-- > 0;) {
		const Change *c = &cs->c[i];
		if (c->na == 0)
			out_printf("%lda\n", c->a);
		else if (c->na == 1)
			out_printf("%ld%c\n", c->a + 1, c->nb ? 'c' : 'd');
		else
			out_printf("%ld,%ld%c\n", c->a + 1, c->a + c->na, c->nb ? 'c' : 'd');
		for (long k = 0; k < c->nb; k++)
			out_line(y->line[c->b + k], y->len[c->b + k]);
		if (c->nb)
			out_str(".\n");
	}
}

static void header(const char *mark, const Side *s)
{
	char when[64];
	if (s->label) {
		out_printf("%s %s\n", mark, s->label);
		return;
	}
	strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S.000000000 +0000", gmtime(&s->mtime));
	out_printf("%s %s\t%s\n", mark, s->name, when);
}

static void unified_range(char mark, long from, long n)
{
	if (n == 1)
		out_printf("%c%ld", mark, from + 1);
	else
		out_printf("%c%ld,%ld", mark, n == 0 ? from : from + 1, n);
}

static void context_range(const char *mark, long from, long n)
{
	if (n <= 1)
		out_printf("%s %ld", mark, n == 0 ? from : from + 1);
	else
		out_printf("%s %ld,%ld", mark, from + 1, from + n);
}

/* function_line finds the last line before from that starts a function. */
static void function_line(const Side *x, long from)
{
	if (!d.show_function)
		return;
	for (long i = from - 1; i >= 0; i--)
		if (regex_search(d.show_function, x->line[i], x->len[i], 0, NULL, 0)) {
			size_t n = x->len[i] < 40 ? x->len[i] : 40;
			while (n && isspace((unsigned char)x->line[i][n - 1]))
				n--;
			out_char(' ');
			out(x->line[i], n);
			return;
		}
}

static void print_hunk(const Side *x, const Side *y, const Change *c, size_t n)
{
	long a0 = c[0].a - d.context, b0 = c[0].b - d.context;
	if (a0 < 0 || b0 < 0) {
		long lift = a0 < b0 ? -a0 : -b0;
		lift = lift < d.context ? lift : d.context;
		a0 = c[0].a - (d.context - lift);
		b0 = c[0].b - (d.context - lift);
	}
	long a1 = c[n - 1].a + c[n - 1].na + d.context, b1 = c[n - 1].b + c[n - 1].nb + d.context;
	if (a1 > (long)x->n) {
		b1 -= a1 - (long)x->n;
		a1 = (long)x->n;
	}
	if (b1 > (long)y->n) {
		a1 -= b1 - (long)y->n;
		b1 = (long)y->n;
	}
	if (d.style == 'u') {
		out_str("@@ ");
		unified_range('-', a0, a1 - a0);
		out_char(' ');
		unified_range('+', b0, b1 - b0);
		out_str(" @@");
		function_line(x, a0);
		out_char('\n');
		long a = a0;
		for (size_t i = 0; i < n; i++) {
			for (; a < c[i].a; a++)
				put_line(" ", x, a);
			for (long k = 0; k < c[i].na; k++)
				put_line("-", x, a++);
			for (long k = 0; k < c[i].nb; k++)
				put_line("+", y, c[i].b + k);
		}
		for (; a < a1; a++)
			put_line(" ", x, a);
		return;
	}
	out_str("***************");
	function_line(x, a0);
	out_char('\n');
	for (int side = 0; side < 2; side++) {
		const Side *s = side ? y : x;
		long from = side ? b0 : a0, to = side ? b1 : a1;
		context_range(side ? "---" : "***", from, to - from);
		out_str(side ? " ----\n" : " ****\n");
		bool touched = false;
		for (size_t i = 0; i < n; i++)
			touched |= (side ? c[i].nb : c[i].na) > 0;
		if (!touched)
			continue;
		long at = from;
		for (size_t i = 0; i < n; i++) {
			long start = side ? c[i].b : c[i].a, count = side ? c[i].nb : c[i].na;
			for (; at < start; at++)
				put_line("  ", s, at);
			for (long k = 0; k < count; k++)
				put_line(c[i].na && c[i].nb ? "! " : side ? "+ " : "- ", s, at++);
		}
		for (; at < to; at++)
			put_line("  ", s, at);
	}
}

static void print_hunks(const Side *x, const Side *y, const Changes *cs)
{
	header(d.style == 'u' ? "---" : "***", x);
	header(d.style == 'u' ? "+++" : "---", y);
	for (size_t i = 0; i < cs->n;) {
		size_t k = i + 1;
		while (k < cs->n && cs->c[k].a - (cs->c[k - 1].a + cs->c[k - 1].na) <= 2 * d.context)
			k++;
		print_hunk(x, y, cs->c + i, k - i);
		i = k;
	}
}

static bool is_binary(const Text *t) { return !d.text && memchr(t->s, 0, t->len < 32768 ? t->len : 32768) != NULL; }

/* diff_files compares two files: 0 same, 1 different, 2 trouble. */
static int diff_files(const char *a, const char *b, bool heading)
{
	Side x = {.name = a, .label = d.label[0]}, y = {.name = b, .label = d.label[1]};
	Side *both[2] = {&x, &y};
	for (int i = 0; i < 2; i++) {
		struct stat st;
		text_reserve(&both[i]->text, 0);
		if (!strcmp(both[i]->name, "-")) {
			both[i]->mtime = time(NULL);
		} else if (stat(both[i]->name, &st) == 0) {
			both[i]->mtime = st.st_mtime;
		} else if (d.new_file && errno == ENOENT) {
			continue;
		}
		if (!slurp(both[i]->name, &both[i]->text))
			return 2;
	}
	bool same = x.text.len == y.text.len && !memcmp(x.text.s, y.text.s, x.text.len);
	if (!same && (is_binary(&x.text) || is_binary(&y.text))) {
		out_printf("%s %s and %s differ\n", d.style == 'q' ? "Files" : "Binary files", a, b);
		return 1;
	}
	Changes cs = {0};
	if (!same) {
		split_lines(&x);
		split_lines(&y);
		cs = find_changes(&x, &y);
	}
	if (cs.n == 0) {
		if (d.report_same)
			out_printf("Files %s and %s are identical\n", a, b);
		return 0;
	}
	if (d.style == 'q') {
		out_printf("Files %s and %s differ\n", a, b);
		return 1;
	}
	if (heading)
		out_printf("diff%s %s %s\n", d.command.s ? d.command.s : "", a, b);
	if (d.style == 'n')
		print_normal(&x, &y, &cs);
	else if (d.style == 'e')
		print_ed(&y, &cs);
	else
		print_hunks(&x, &y, &cs);
	return 1;
}

static int diff_paths(const char *a, const char *b, bool top);

static int diff_dirs(const char *a, const char *b)
{
	Names x = {0}, y = {0};
	if (read_dir(a, &x) < 0 && !d.new_file)
		return warn_errno(a), 2;
	if (read_dir(b, &y) < 0 && !d.new_file)
		return warn_errno(b), 2;
	int status = 0;
	for (size_t i = 0, j = 0; i < x.n || j < y.n;) {
		int c = i == x.n ? 1 : j == y.n ? -1 : strcmp(x.name[i], y.name[j]);
		const char *name = c <= 0 ? x.name[i] : y.name[j];
		bool skip = false;
		for (size_t k = 0; k < d.nexclude; k++)
			skip |= glob_match(d.exclude[k], name, false);
		i += c <= 0;
		j += c >= 0;
		if (skip)
			continue;
		int s = 1;
		if (c == 0 || d.new_file) {
			s = diff_paths(path_join(a, name), path_join(b, name), false);
		} else
			out_printf("Only in %s: %s\n", c < 0 ? a : b, name);
		status = s > status ? s : status;
	}
	return status;
}

static int diff_paths(const char *a, const char *b, bool top)
{
	struct stat x = {0}, y = {0};
	bool hx = strcmp(a, "-") && stat(a, &x) == 0, hy = strcmp(b, "-") && stat(b, &y) == 0;
	bool dx = hx && S_ISDIR(x.st_mode), dy = hy && S_ISDIR(y.st_mode);
	if ((dx && dy) || (d.new_file && ((dx && !hy) || (dy && !hx)))) {
		if (!top && !d.recursive) {
			out_printf("Common subdirectories: %s and %s\n", a, b);
			return 0;
		}
		return diff_dirs(a, b);
	}
	if (top && dx)
		return diff_files(path_join(a, path_base(b)), b, false);
	if (top && dy)
		return diff_files(a, path_join(b, path_base(a)), false);
	if (dx || dy) {
		out_printf("File %s is a %s while file %s is a %s\n", a, dx ? "directory" : "regular file", b,
			   dy ? "directory" : "regular file");
		return 1;
	}
	return diff_files(a, b, !top);
}

int diff_main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"unified", 2, 0, 'U'}, {"context", 2, 0, 'C'}, {"normal", 0, 0, 1}, {"ed", 0, 0, 'e'},
		{"brief", 0, 0, 'q'}, {"report-identical-files", 0, 0, 's'}, {"recursive", 0, 0, 'r'},
		{"new-file", 0, 0, 'N'}, {"ignore-case", 0, 0, 'i'}, {"ignore-all-space", 0, 0, 'w'},
		{"ignore-space-change", 0, 0, 'b'}, {"ignore-trailing-space", 0, 0, 'Z'},
		{"ignore-blank-lines", 0, 0, 'B'}, {"text", 0, 0, 'a'}, {"label", 1, 0, 'L'},
		{"strip-trailing-cr", 0, 0, 2}, {"show-c-function", 0, 0, 'p'}, {"exclude", 1, 0, 'x'},
		{"color", 2, 0, 3}, {"minimal", 0, 0, 'd'}, {0, 0, 0, 0}};
	const char *function = NULL;
	for (int c; (c = getopt_long(argc, argv, "uU:cC:eqsrNiwbZBaL:px:dy0123456789", longs, NULL)) != -1;)
		switch (c) {
		case 'u': d.style = 'u'; break;
		case 'U': d.style = 'u'; if (optarg) d.context = (long)parse_int(optarg, "context length"); break;
		case 'c': d.style = 'c'; break;
		case 'C': d.style = 'c'; if (optarg) d.context = (long)parse_int(optarg, "context length"); break;
		case 'e': case 'q': d.style = (char)c; break;
		case 1: d.style = 'n'; break;
		case 's': d.report_same = true; break;
		case 'r': d.recursive = true; break;
		case 'N': d.new_file = true; break;
		case 'i': d.ignore_case = true; break;
		case 'w': d.ignore_space = true; break;
		case 'b': d.ignore_change = true; break;
		case 'Z': d.ignore_trailing = true; break;
		case 'B': d.ignore_blank = true; break;
		case 'a': d.text = true; break;
		case 'L': if (d.nlabels < 2) d.label[d.nlabels++] = optarg; break;
		case 'p': function = "^[A-Za-z_$]"; if (d.style == 'n') d.style = 'c'; break;
		case 'x': GROW(d.exclude, d.nexclude, d.capexclude); d.exclude[d.nexclude++] = optarg; break;
		case 'y': die(2, "-y is not available: use -u");
		case 2: d.strip_cr = true; break;
		case 3: case 'd': break;
		default: usage_error("bad option");
		}
	for (int i = 1; i < optind; i++) {
		text_char(&d.command, ' ');
		text_str(&d.command, argv[i]);
	}
	if (function) {
		const char *why;
		d.show_function = regex_compile(&(Pattern){function, strlen(function)}, 1, 0, &why);
	}
	require_args(argc, optind, 2, 2);
	return diff_paths(argv[optind], argv[optind + 1], true);
}
