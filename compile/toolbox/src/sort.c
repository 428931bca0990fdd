/* sort.c - sort uniq shuf: the order of lines. */
#include "box.h"
#include "tools.h"

#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>

/* ---- sort ---- */

typedef enum { BY_BYTES, BY_NUMBER, BY_FLOAT, BY_HUMAN, BY_MONTH, BY_VERSION } Order;

typedef struct {
	Order order;
	bool reverse, fold, dictionary, printable, blanks[2];
	bool own; /* has ordering options of its own */
	size_t field[2], byte[2]; /* start and end as written, 1-based; field[1] 0: to the end */
} Key;

typedef struct {
	char *s;
	size_t n;
} Line;

static struct {
	Key global;
	Key *keys;
	size_t nkeys, capkeys;
	int tab; /* -1: blank to non-blank transitions */
	bool unique, stable, check, quiet_check, merge;
	int end;
} so = {.tab = -1, .end = '\n'};

/* field_start finds the first byte of field f (1-based) of a line. */
static const char *field_start(const char *s, const char *end, size_t f)
{
	while (--f > 0 && s < end) {
		if (so.tab >= 0) {
			const char *t = memchr(s, so.tab, (size_t)(end - s));
			s = t ? t + 1 : end;
		} else {
			while (s < end && isblank((unsigned char)*s))
				s++;
			while (s < end && !isblank((unsigned char)*s))
				s++;
		}
	}
	return s;
}

static const char *field_end(const char *s, const char *end)
{
	if (so.tab >= 0) {
		const char *t = memchr(s, so.tab, (size_t)(end - s));
		return t ? t : end;
	}
	while (s < end && isblank((unsigned char)*s))
		s++;
	while (s < end && !isblank((unsigned char)*s))
		s++;
	return s;
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && isblank((unsigned char)*s))
		s++;
	return s;
}

/* key_text finds the bytes of a line that key k compares. */
static Line key_text(const Key *k, const Line *l)
{
	const char *end = l->s + l->n;
	const char *from = field_start(l->s, end, k->field[0]);
	if (k->blanks[0])
		from = skip_blanks(from, end);
	size_t skip = k->byte[0] - 1;
	from = (size_t)(end - from) < skip ? end : from + skip;
	const char *to = end;
	if (k->field[1]) {
		to = field_start(l->s, end, k->field[1]);
		if (k->byte[1] == 0)
			to = field_end(to, end);
		else {
			if (k->blanks[1])
				to = skip_blanks(to, end);
			to = (size_t)(end - to) < k->byte[1] ? end : to + k->byte[1];
		}
	}
	return (Line){(char *)from, to > from ? (size_t)(to - from) : 0};
}

/* number_parts splits " -12.50x" into sign, whole and fraction digits. */
typedef struct {
	int sign;
	const char *whole, *fraction;
	size_t nwhole, nfraction;
	const char *rest;
} Number;

static Number number_parts(const char *s, size_t n)
{
	Number x = {.sign = 1};
	const char *end = s + n;
	s = skip_blanks(s, end);
	bool negative = s < end && *s == '-';
	s += negative;
	while (s < end && *s == '0')
		s++;
	x.whole = s;
	while (s < end && isdigit((unsigned char)*s))
		s++;
	x.nwhole = (size_t)(s - x.whole);
	if (s < end && *s == '.') {
		x.fraction = ++s;
		while (s < end && isdigit((unsigned char)*s))
			s++;
		x.nfraction = (size_t)(s - x.fraction);
		while (x.nfraction && x.fraction[x.nfraction - 1] == '0')
			x.nfraction--;
	}
	x.rest = s;
	if (!x.nwhole && !x.nfraction)
		x.sign = 0;
	else if (negative)
		x.sign = -1;
	return x;
}

static int compare_parts(const Number *a, const Number *b)
{
	if (a->sign != b->sign)
		return a->sign - b->sign;
	int c;
	if (a->nwhole != b->nwhole)
		c = a->nwhole < b->nwhole ? -1 : 1;
	else {
		c = a->nwhole ? memcmp(a->whole, b->whole, a->nwhole) : 0;
		if (c == 0) {
			size_t n = a->nfraction < b->nfraction ? a->nfraction : b->nfraction;
			c = n ? memcmp(a->fraction, b->fraction, n) : 0;
			if (c == 0)
				c = (a->nfraction > b->nfraction) - (a->nfraction < b->nfraction);
		}
	}
	return a->sign < 0 ? -c : c;
}

static int compare_numbers(Line a, Line b)
{
	Number x = number_parts(a.s, a.n), y = number_parts(b.s, b.n);
	return compare_parts(&x, &y);
}

static int unit_rank(const Number *x, const char *end)
{
	static const char units[] = "KMGTPEZY";
	if (x->rest >= end || !*x->rest)
		return 0;
	const char *u = strchr(units, *x->rest == 'k' ? 'K' : *x->rest);
	return u ? (int)(u - units) + 1 : 0;
}

static int compare_human(Line a, Line b)
{
	Number x = number_parts(a.s, a.n), y = number_parts(b.s, b.n);
	int ux = unit_rank(&x, a.s + a.n) * x.sign, uy = unit_rank(&y, b.s + b.n) * y.sign;
	if (ux != uy)
		return ux - uy;
	return compare_parts(&x, &y);
}

static int compare_floats(Line a, Line b)
{
	char *x = xmemdup(a.s, a.n), *y = xmemdup(b.s, b.n), *ex, *ey;
	double u = strtod(x, &ex), v = strtod(y, &ey);
	int c;
	if (ex == x || ey == y)
		c = (ex != x) - (ey != y); /* not a number sorts first */
	else if (isnan(u) || isnan(v))
		c = isnan(v) - isnan(u) ? (isnan(u) ? -1 : 1) : 0;
	else
		c = (u > v) - (u < v);
	free(x);
	free(y);
	return c;
}

static int month_of(Line a)
{
	static const char *names = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
	const char *s = skip_blanks(a.s, a.s + a.n);
	if (a.s + a.n - s < 3)
		return 0;
	for (int i = 0; i < 12; i++)
		if (toupper((unsigned char)s[0]) == names[3 * i] && toupper((unsigned char)s[1]) == names[3 * i + 1] &&
		    toupper((unsigned char)s[2]) == names[3 * i + 2])
			return i + 1;
	return 0;
}

/* compare_versions orders runs of digits by value and the rest by bytes, with
 * ~ before everything and letters before other bytes. */
static int version_rank(Line a, size_t i)
{
	if (i >= a.n)
		return -1;
	unsigned char c = (unsigned char)a.s[i];
	return isdigit(c) ? 0 : isalpha(c) ? c : c == '~' ? -2 : c + 256;
}

static int compare_versions(Line a, Line b)
{
	size_t i = 0, j = 0;
	while (i < a.n || j < b.n) {
		while ((i < a.n && !isdigit((unsigned char)a.s[i])) || (j < b.n && !isdigit((unsigned char)b.s[j]))) {
			int x = version_rank(a, i), y = version_rank(b, j);
			if (x != y)
				return x - y;
			i++;
			j++;
		}
		while (i < a.n && a.s[i] == '0')
			i++;
		while (j < b.n && b.s[j] == '0')
			j++;
		int first = 0;
		while (i < a.n && j < b.n && isdigit((unsigned char)a.s[i]) && isdigit((unsigned char)b.s[j])) {
			if (!first)
				first = a.s[i] - b.s[j];
			i++;
			j++;
		}
		if (i < a.n && isdigit((unsigned char)a.s[i]))
			return 1;
		if (j < b.n && isdigit((unsigned char)b.s[j]))
			return -1;
		if (first)
			return first;
	}
	return 0;
}

static bool keeps(const Key *k, unsigned char c)
{
	if (k->dictionary && !isalnum(c) && !isblank(c))
		return false;
	return !k->printable || isprint(c);
}

static int compare_bytes(const Key *k, Line a, Line b)
{
	if (!k->fold && !k->dictionary && !k->printable) {
		int c = memcmp(a.s, b.s, a.n < b.n ? a.n : b.n);
		return c ? c : (a.n > b.n) - (a.n < b.n);
	}
	size_t i = 0, j = 0;
	for (;; i++, j++) {
		while (i < a.n && !keeps(k, (unsigned char)a.s[i]))
			i++;
		while (j < b.n && !keeps(k, (unsigned char)b.s[j]))
			j++;
		if (i >= a.n || j >= b.n)
			return (i < a.n) - (j < b.n);
		int x = (unsigned char)a.s[i], y = (unsigned char)b.s[j];
		if (k->fold) {
			x = toupper(x);
			y = toupper(y);
		}
		if (x != y)
			return x - y;
	}
}

static int compare_by(const Key *k, Line a, Line b)
{
	int c;
	switch (k->order) {
	case BY_NUMBER: c = compare_numbers(a, b); break;
	case BY_FLOAT: c = compare_floats(a, b); break;
	case BY_HUMAN: c = compare_human(a, b); break;
	case BY_MONTH: c = month_of(a) - month_of(b); break;
	case BY_VERSION: c = compare_versions(a, b); break;
	default: c = compare_bytes(k, a, b);
	}
	return k->reverse ? -c : c;
}

static int compare_keys(const Line *a, const Line *b)
{
	if (so.nkeys == 0) {
		Line x = *a, y = *b;
		if (so.global.blanks[0]) {
			x.s = (char *)skip_blanks(a->s, a->s + a->n);
			x.n -= (size_t)(x.s - a->s);
			y.s = (char *)skip_blanks(b->s, b->s + b->n);
			y.n -= (size_t)(y.s - b->s);
		}
		return compare_by(&so.global, x, y);
	}
	for (size_t i = 0; i < so.nkeys; i++) {
		int c = compare_by(&so.keys[i], key_text(&so.keys[i], a), key_text(&so.keys[i], b));
		if (c)
			return c;
	}
	return 0;
}

static int compare_lines(const Line *a, const Line *b)
{
	int c = compare_keys(a, b);
	if (c || so.unique || so.stable)
		return c;
	Key plain = {.reverse = so.global.reverse};
	return compare_by(&plain, *a, *b);
}

/* merge_sort is stable; lines end up in a. */
static void merge_sort(Line *a, Line *scratch, size_t n)
{
	if (n < 2)
		return;
	size_t half = n / 2;
	merge_sort(a, scratch, half);
	merge_sort(a + half, scratch, n - half);
	if (compare_lines(&a[half - 1], &a[half]) <= 0)
		return;
	memcpy(scratch, a, half * sizeof *a);
	size_t i = 0, j = half, k = 0;
	while (i < half && j < n)
		a[k++] = compare_lines(&scratch[i], &a[j]) <= 0 ? scratch[i++] : a[j++];
	memcpy(a + k, scratch + i, (half - i) * sizeof *a);
}

/* order_option notes one ordering letter; end is 1 behind a key's comma. */
static bool order_option(Key *k, int c, int end)
{
	switch (c) {
	case 'n': k->order = BY_NUMBER; break;
	case 'g': k->order = BY_FLOAT; break;
	case 'h': k->order = BY_HUMAN; break;
	case 'M': k->order = BY_MONTH; break;
	case 'V': k->order = BY_VERSION; break;
	case 'r': k->reverse = true; break;
	case 'f': k->fold = true; break;
	case 'd': k->dictionary = true; break;
	case 'i': k->printable = true; break;
	case 'b': k->blanks[end] = true; break;
	default: return false;
	}
	k->own = true;
	return true;
}

static void parse_key(const char *spec)
{
	GROW(so.keys, so.nkeys, so.capkeys);
	Key *k = &so.keys[so.nkeys++];
	*k = (Key){.byte = {1, 0}};
	const char *p = spec;
	for (int end = 0; end < 2; end++) {
		char *q;
		k->field[end] = strtoul(p, &q, 10);
		if (q == p || k->field[end] == 0)
			die(2, "invalid field specification '%s'", spec);
		if (*q == '.') {
			p = q + 1;
			k->byte[end] = strtoul(p, &q, 10);
			if (q == p || (end == 0 && k->byte[end] == 0))
				die(2, "invalid field specification '%s'", spec);
		}
		for (p = q; *p && order_option(k, *p, end); p++)
			;
		if (*p != ',' || end == 1)
			break;
		p++;
	}
	if (*p)
		die(2, "invalid field specification '%s'", spec);
}

typedef struct {
	Line *l;
	size_t n, cap;
} Lines;

static void collect(Text *t, Lines *lines)
{
	for (size_t at = 0; at < t->len;) {
		char *s = t->s + at, *e = memchr(s, so.end, t->len - at);
		GROW(lines->l, lines->n, lines->cap);
		lines->l[lines->n++] = (Line){s, e ? (size_t)(e - s) : t->len - at};
		at = e ? (size_t)(e - t->s) + 1 : t->len;
	}
}

int sort_main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"numeric-sort", 0, 0, 'n'}, {"general-numeric-sort", 0, 0, 'g'}, {"human-numeric-sort", 0, 0, 'h'},
		{"month-sort", 0, 0, 'M'}, {"version-sort", 0, 0, 'V'}, {"reverse", 0, 0, 'r'},
		{"ignore-case", 0, 0, 'f'}, {"dictionary-order", 0, 0, 'd'}, {"ignore-nonprinting", 0, 0, 'i'},
		{"ignore-leading-blanks", 0, 0, 'b'}, {"key", 1, 0, 'k'}, {"field-separator", 1, 0, 't'},
		{"unique", 0, 0, 'u'}, {"stable", 0, 0, 's'}, {"check", 2, 0, 'c'}, {"output", 1, 0, 'o'},
		{"merge", 0, 0, 'm'}, {"zero-terminated", 0, 0, 'z'}, {0, 0, 0, 0}};
	const char *output = NULL;
	for (int c; (c = getopt_long(argc, argv, "nghMVrfdibk:t:uscCo:mzS:T:", longs, NULL)) != -1;)
		switch (c) {
		case 'k': parse_key(optarg); break;
		case 't':
			if (!strcmp(optarg, "\\0"))
				so.tab = 0;
			else if (!optarg[0] || optarg[1])
				die(2, optarg[0] ? "multi-character tab '%s'" : "empty tab%s", optarg);
			else
				so.tab = (unsigned char)optarg[0];
			break;
		case 'u': so.unique = true; break;
		case 's': so.stable = true; break;
		case 'C': so.quiet_check = true; so.check = true; break;
		case 'c': so.check = true; break;
		case 'o': output = optarg; break;
		case 'm': so.merge = true; break;
		case 'z': so.end = 0; break;
		case 'S': case 'T': break;
		default:
			if (!order_option(&so.global, c, 0))
				usage_error("bad option");
			so.global.blanks[1] = so.global.blanks[0];
		}
	for (size_t i = 0; i < so.nkeys; i++) {
		Key *k = &so.keys[i];
		if (!k->own) { /* takes the global ordering */
			Key g = so.global;
			memcpy(g.field, k->field, sizeof g.field);
			memcpy(g.byte, k->byte, sizeof g.byte);
			*k = g;
		}
	}
	static char *none[] = {"-", NULL};
	char **names = optind < argc ? argv + optind : none;
	Lines lines = {0};
	for (; *names; names++) {
		Text *t = xcalloc(1, sizeof *t);
		text_reserve(t, 0);
		if (!slurp(*names, t))
			return 2;
		collect(t, &lines);
		if (so.check) {
			for (size_t i = 1; i < lines.n; i++) {
				int c = compare_lines(&lines.l[i - 1], &lines.l[i]);
				if (c > 0 || (c == 0 && so.unique)) {
					if (!so.quiet_check)
						warn("%s:%zu: disorder: %.*s", *names, i + 1, (int)lines.l[i].n,
						     lines.l[i].s);
					return 1;
				}
			}
			return 0;
		}
	}
	merge_sort(lines.l, xmalloc(lines.n * sizeof(Line)), lines.n);
	if (output) {
		int fd = open_output(output, O_WRONLY | O_CREAT | O_TRUNC);
		if (fd == -1)
			die_errno(2, output);
		out_to(fd);
	}
	for (size_t i = 0; i < lines.n; i++) {
		if (so.unique && i > 0 && compare_keys(&lines.l[i - 1], &lines.l[i]) == 0)
			continue;
		out(lines.l[i].s, lines.l[i].n);
		out_char(so.end);
	}
	return 0;
}

/* ---- uniq ---- */

static struct {
	bool count, repeated, unique, ignore_case, all_repeated;
	size_t skip_fields, skip_bytes, width;
	int end;
} un = {.width = SIZE_MAX, .end = '\n'};

static Line uniq_key(const Text *t)
{
	size_t i = 0;
	for (size_t f = 0; f < un.skip_fields && i < t->len; f++) {
		while (i < t->len && isblank((unsigned char)t->s[i]))
			i++;
		while (i < t->len && !isblank((unsigned char)t->s[i]))
			i++;
	}
	i = t->len - i < un.skip_bytes ? t->len : i + un.skip_bytes;
	size_t n = t->len - i;
	return (Line){t->s + i, n < un.width ? n : un.width};
}

static bool uniq_same(const Text *a, const Text *b)
{
	Line x = uniq_key(a), y = uniq_key(b);
	if (x.n != y.n)
		return false;
	for (size_t i = 0; i < x.n; i++) {
		int p = (unsigned char)x.s[i], q = (unsigned char)y.s[i];
		if (un.ignore_case ? tolower(p) != tolower(q) : p != q)
			return false;
	}
	return true;
}

static void uniq_print(const Text *t, unsigned long long n)
{
	if (un.all_repeated || (n == 1 ? un.repeated : un.unique))
		return;
	if (un.count)
		out_printf("%7llu ", n);
	out(t->s, t->len);
	out_char(un.end);
}

int uniq_main(int argc, char **argv)
{
	static const struct option longs[] = {{"count", 0, 0, 'c'}, {"repeated", 0, 0, 'd'}, {"unique", 0, 0, 'u'},
					      {"ignore-case", 0, 0, 'i'}, {"skip-fields", 1, 0, 'f'},
					      {"skip-chars", 1, 0, 's'}, {"check-chars", 1, 0, 'w'},
					      {"zero-terminated", 0, 0, 'z'}, {"all-repeated", 0, 0, 'D'}, {0, 0, 0, 0}};
	for (int c; (c = getopt_long(argc, argv, "cduif:s:w:zD", longs, NULL)) != -1;)
		switch (c) {
		case 'c': un.count = true; break;
		case 'd': un.repeated = true; break;
		case 'u': un.unique = true; break;
		case 'D': un.all_repeated = true; break;
		case 'i': un.ignore_case = true; break;
		case 'f': un.skip_fields = (size_t)parse_int(optarg, "number of fields to skip"); break;
		case 's': un.skip_bytes = (size_t)parse_int(optarg, "number of bytes to skip"); break;
		case 'w': un.width = (size_t)parse_int(optarg, "number of bytes to compare"); break;
		case 'z': un.end = 0; break;
		default: usage_error("bad option");
		}
	require_args(argc, optind, 0, 2);
	Reader r;
	if (!reader_open(&r, optind < argc ? argv[optind] : "-"))
		return 1;
	if (optind + 1 < argc && strcmp(argv[optind + 1], "-")) {
		int fd = open_output(argv[optind + 1], O_WRONLY | O_CREAT | O_TRUNC);
		if (fd == -1)
			die_errno(1, argv[optind + 1]);
		out_to(fd);
	}
	Text group = {0}, line = {0};
	unsigned long long n = 0;
	char *s;
	size_t len;
	while (reader_record(&r, un.end, &s, &len, NULL)) {
		line.len = 0;
		text_add(&line, s, len);
		if (n > 0 && uniq_same(&group, &line)) {
			if (un.all_repeated) {
				if (n == 1) {
					out(group.s, group.len);
					out_char(un.end);
				}
				out(line.s, line.len);
				out_char(un.end);
			}
			n++;
			continue;
		}
		if (n > 0)
			uniq_print(&group, n);
		Text swap = group;
		group = line;
		line = swap;
		n = 1;
	}
	if (n > 0)
		uniq_print(&group, n);
	return r.failed;
}

/* ---- shuf ---- */

/* The generator is SplitMix64 with a fixed start (or --random-seed), so that a
 * notebook gives the same result on every run and machine. */
static uint64_t shuf_state = 0x9E3779B97F4A7C15u;

static uint64_t shuf_below(uint64_t n)
{
	for (;;) {
		uint64_t z = shuf_state += 0x9E3779B97F4A7C15u;
		z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
		z = (z ^ z >> 27) * 0x94D049BB133111EBu;
		z ^= z >> 31;
		if (z < UINT64_MAX - UINT64_MAX % n)
			return z % n;
	}
}

int shuf_main(int argc, char **argv)
{
	static const struct option longs[] = {{"head-count", 1, 0, 'n'}, {"echo", 0, 0, 'e'}, {"input-range", 1, 0, 'i'},
					      {"repeat", 0, 0, 'r'}, {"random-seed", 1, 0, 1}, {"zero-terminated", 0, 0, 'z'}, {0, 0, 0, 0}};
	bool echo = false, repeat = false, limited = false;
	long long limit = 0;
	const char *range = NULL;
	for (int c; (c = getopt_long(argc, argv, "n:ei:rz", longs, NULL)) != -1;)
		switch (c) {
		case 'n': limit = parse_int(optarg, "line count"); limited = true; break;
		case 'e': echo = true; break;
		case 'i': range = optarg; break;
		case 'r': repeat = true; break;
		case 'z': so.end = 0; break;
		case 1:
			for (const char *p = optarg; *p; p++)
				shuf_state = shuf_state * 31 + (unsigned char)*p;
			break;
		default: usage_error("bad option");
		}
	Lines lines = {0};
	Text t = {0};
	text_reserve(&t, 0);
	if (range) {
		long long lo, hi;
		if (sscanf(range, "%lld-%lld", &lo, &hi) != 2 || hi < lo - 1 || hi - lo > 10000000)
			usage_error("invalid input range: '%s'", range);
		for (long long i = lo; i <= hi; i++)
			text_printf(&t, "%lld%c", i, so.end);
	} else if (echo) {
		for (int i = optind; i < argc; i++) {
			text_str(&t, argv[i]);
			text_char(&t, so.end);
		}
	} else if (!slurp(optind < argc ? argv[optind] : "-", &t))
		return 1;
	collect(&t, &lines);
	if (lines.n == 0)
		return repeat && limit > 0 ? (warn("no lines to repeat"), 1) : 0;
	if (repeat) {
		for (long long i = 0; !limited || i < limit; i++) {
			Line l = lines.l[shuf_below(lines.n)];
			out(l.s, l.n);
			out_char(so.end);
		}
		return 0;
	}
	for (size_t i = 0; i < lines.n && (!limited || (long long)i < limit); i++) {
		size_t k = i + shuf_below(lines.n - i);
		Line l = lines.l[k];
		lines.l[k] = lines.l[i];
		lines.l[i] = l;
		out(l.s, l.n);
		out_char(so.end);
	}
	return 0;
}
