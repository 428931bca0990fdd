/* tr.c - tr: translate, squeeze or delete bytes. */
#include "box.h"

#include <ctype.h>
#include <getopt.h>

/* A set in the order it was written; class marks [:upper:] and [:lower:],
 * which pair up, and fill the place of [x*]. */
typedef struct {
	int byte[8192];
	int n;
	int fill;      /* index of [x*], -1 when there is none */
	bool has_class, has_case;
} Chars;

static int (*class_named(const char *name, size_t n))(int)
{
	static const struct {
		const char *name;
		int (*has)(int);
	} classes[] = {{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum}, {"upper", isupper},
		       {"lower", islower}, {"space", isspace}, {"blank", isblank}, {"punct", ispunct},
		       {"print", isprint}, {"graph", isgraph}, {"cntrl", iscntrl}, {"xdigit", isxdigit}};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strlen(classes[i].name) == n && !memcmp(classes[i].name, name, n))
			return classes[i].has;
	return NULL;
}

static void add(Chars *s, int c)
{
	if (s->n < (int)(sizeof s->byte / sizeof *s->byte))
		s->byte[s->n++] = c & 255;
}

static int next_char(const char **p)
{
	if (**p == '\\' && (*p)[1]) {
		++*p;
		if (strchr("abfnrtv01234567\\", **p))
			return unescape_char(p) & 255;
	}
	return (unsigned char)*(*p)++;
}

static void parse_set(Chars *s, const char *p, bool second)
{
	s->fill = -1;
	while (*p) {
		if (p[0] == '[' && p[1] == ':') {
			const char *e = strstr(p + 2, ":]");
			int (*has)(int) = e ? class_named(p + 2, (size_t)(e - p - 2)) : NULL;
			if (e && !has)
				die(1, "invalid character class '%.*s'", (int)(e - p - 2), p + 2);
			if (has) {
				s->has_class = true;
				s->has_case |= has == isupper || has == islower;
				for (int c = 0; c < 128; c++)
					if (has(c))
						add(s, c);
				p = e + 2;
				continue;
			}
		}
		if (p[0] == '[' && p[1] == '=' && p[2] && p[3] == '=' && p[4] == ']') {
			add(s, p[2]);
			p += 5;
			continue;
		}
		if (p[0] == '[' && p[1]) { /* [c*n] */
			const char *q = p + 1;
			int c = next_char(&q);
			char *e;
			if (*q == '*') {
				long n = strtol(q + 1, &e, q[1] == '0' ? 8 : 10);
				if (*e == ']') {
					if (!second)
						die(1, "the [c*] repeat construct may not appear in string1");
					if (n == 0)
						s->fill = s->n;
					for (long i = 0; i < (n ? n : 1); i++)
						add(s, c);
					p = e + 1;
					continue;
				}
			}
		}
		int lo = next_char(&p);
		if (p[0] == '-' && p[1]) {
			p++;
			int hi = next_char(&p);
			if (hi < lo)
				die(1, "range-endpoints of '%c-%c' are in reverse collating sequence order", lo, hi);
			for (int c = lo; c <= hi; c++)
				add(s, c);
		} else
			add(s, lo);
	}
}

static void complement(Chars *s)
{
	bool in[256] = {false};
	for (int i = 0; i < s->n; i++)
		in[s->byte[i]] = true;
	s->n = 0;
	for (int c = 0; c < 256; c++)
		if (!in[c])
			add(s, c);
}

/* extend makes the second set as long as the first. */
static void extend(Chars *two, const Chars *one, bool truncate)
{
	int missing = one->n - two->n;
	if (missing <= 0 || truncate)
		return;
	if (two->fill >= 0) {
		int c = two->byte[two->fill];
		memmove(two->byte + two->fill + missing, two->byte + two->fill,
			(size_t)(two->n - two->fill) * sizeof *two->byte);
		for (int i = 0; i < missing; i++)
			two->byte[two->fill + i] = c;
		two->n += missing;
		return;
	}
	if (two->n == 0)
		die(1, "when not truncating set1, string2 must be non-empty");
	int last = two->byte[two->n - 1];
	while (two->n < one->n)
		add(two, last);
}

int tr_main(int argc, char **argv)
{
	static const struct option longs[] = {{"complement", 0, 0, 'c'}, {"delete", 0, 0, 'd'}, {"squeeze-repeats", 0, 0, 's'},
					      {"truncate-set1", 0, 0, 't'}, {0, 0, 0, 0}};
	static Chars one, two;
	bool invert = false, delete = false, squeeze = false, truncate = false;
	for (int c; (c = getopt_long(argc, argv, "+cCdst", longs, NULL)) != -1;)
		switch (c) {
		case 'c': case 'C': invert = true; break;
		case 'd': delete = true; break;
		case 's': squeeze = true; break;
		case 't': truncate = true; break;
		default: usage_error("bad option");
		}
	int sets = argc - optind;
	if (sets < 1)
		usage_error("missing operand");
	if (sets > 2 || (sets == 2 && delete && !squeeze))
		usage_error("extra operand '%s'", argv[optind + (sets > 2 ? 2 : 1)]);
	bool translate = !delete && sets == 2;
	if (sets == 1 && !delete && !squeeze)
		usage_error("missing operand after '%s'", argv[optind]);
	if (sets == 1 && delete && squeeze)
		usage_error("missing operand after '%s'", argv[optind]);
	parse_set(&one, argv[optind], false);
	if (invert)
		complement(&one);
	if (sets == 2)
		parse_set(&two, argv[optind + 1], true);
	if (translate)
		extend(&two, &one, truncate);

	bool drop[256] = {false}, squash[256] = {false};
	unsigned char map[256];
	for (int c = 0; c < 256; c++)
		map[c] = (unsigned char)c;
	for (int i = 0; i < one.n; i++) {
		if (delete)
			drop[one.byte[i]] = true;
		else if (translate && i < two.n)
			map[one.byte[i]] = (unsigned char)two.byte[i];
	}
	const Chars *squeezed = sets == 2 ? &two : &one;
	for (int i = 0; squeeze && i < squeezed->n; i++)
		squash[squeezed->byte[i]] = true;

	Reader r;
	reader_from_fd(&r, 0, "-");
	unsigned char chunk[16384];
	ssize_t n;
	int last = -1;
	while ((n = reader_read(&r, chunk, sizeof chunk)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (drop[chunk[i]])
				continue;
			int c = map[chunk[i]];
			if (c == last && squash[c])
				continue;
			last = c;
			out_char(c);
		}
	return r.failed;
}
