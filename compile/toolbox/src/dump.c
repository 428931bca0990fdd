/* dump.c - od hexdump xxd strings split: bytes made visible or cut up. */
#include "box.h"
#include "tools.h"

#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>

/* input_all reads all operands (or standard input) as one run of bytes. */
static Text input_all(int argc, char **argv, int first, int *status)
{
	Text t = {0};
	text_reserve(&t, 0);
	if (first >= argc)
		slurp("-", &t);
	for (int i = first; i < argc; i++)
		if (!slurp(argv[i], &t))
			*status = 1;
	return t;
}

/* cut_range applies "skip that many, read at most so many". */
static void cut_range(Text *t, size_t *at, long long skip, long long limit)
{
	*at = (size_t)skip > t->len ? t->len : (size_t)skip;
	if (limit >= 0 && t->len - *at > (size_t)limit)
		t->len = *at + (size_t)limit;
}

/* ---- od ---- */

typedef struct {
	char kind; /* d u o x f a c */
	int size;
	bool text; /* >…< at the end of the line */
} OdType;

static OdType od_types[16];
static int od_ntypes;

static void od_type(const char *s)
{
	while (*s && od_ntypes < 16) {
		OdType t = {.kind = *s++, .size = 4};
		if (!strchr("duoxfac", t.kind))
			die(1, "invalid character '%c' in type string", t.kind);
		if (t.kind == 'a' || t.kind == 'c')
			t.size = 1;
		else if (t.kind == 'f')
			t.size = 8;
		if (isdigit((unsigned char)*s))
			t.size = (int)strtol(s, (char **)&s, 10);
		else if (*s && strchr("CSILFD", *s) && t.kind != 'a' && t.kind != 'c') {
			t.size = *s == 'C' ? 1 : *s == 'S' ? 2 : *s == 'L' || *s == 'D' ? 8 : 4;
			s++;
		}
		if (*s == 'z') {
			t.text = true;
			s++;
		}
		od_types[od_ntypes++] = t;
	}
}

static int od_width(const OdType *t)
{
	switch (t->kind) {
	case 'a': case 'c': return 4;
	case 'd': return t->size == 1 ? 5 : t->size == 2 ? 7 : t->size == 4 ? 12 : 21;
	case 'u': return t->size == 1 ? 4 : t->size == 2 ? 6 : t->size == 4 ? 11 : 21;
	case 'o': return t->size == 1 ? 4 : t->size == 2 ? 7 : t->size == 4 ? 12 : 23;
	case 'x': return 1 + 2 * t->size;
	default: return t->size == 4 ? 16 : 25;
	}
}

static void od_unit(const OdType *t, const unsigned char *p, int width)
{
	static const char *names[] = {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl",
				      "vt", "ff", "cr", "so", "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak",
				      "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp"};
	uint64_t v = 0;
	for (int i = t->size - 1; i >= 0; i--)
		v = v << 8 | p[i];
	char buf[64];
	switch (t->kind) {
	case 'a': {
		int c = *p & 127;
		if (c <= 32)
			snprintf(buf, sizeof buf, "%s", names[c]);
		else if (c == 127)
			snprintf(buf, sizeof buf, "del");
		else
			snprintf(buf, sizeof buf, "%c", c);
		break;
	}
	case 'c': {
		static const char from[] = "\a\b\f\n\r\t\v", to[] = "abfnrtv";
		const char *e = *p ? strchr(from, *p) : NULL;
		if (*p == 0)
			snprintf(buf, sizeof buf, "\\0");
		else if (e)
			snprintf(buf, sizeof buf, "\\%c", to[e - from]);
		else if (isprint(*p))
			snprintf(buf, sizeof buf, "%c", *p);
		else
			snprintf(buf, sizeof buf, "%03o", *p);
		break;
	}
	case 'd': {
		int64_t d = t->size == 1 ? (int8_t)v : t->size == 2 ? (int16_t)v : t->size == 4 ? (int32_t)v : (int64_t)v;
		snprintf(buf, sizeof buf, "%lld", (long long)d);
		break;
	}
	case 'u': snprintf(buf, sizeof buf, "%llu", (unsigned long long)v); break;
	case 'o':
		snprintf(buf, sizeof buf, "%0*llo", t->size == 1 ? 3 : t->size == 2 ? 6 : t->size == 4 ? 11 : 22, (unsigned long long)v);
		break;
	case 'x': snprintf(buf, sizeof buf, "%0*llx", 2 * t->size, (unsigned long long)v); break;
	default:
		if (t->size == 4) {
			float f;
			memcpy(&f, p, 4);
			snprintf(buf, sizeof buf, "%.8g", (double)f);
		} else {
			double f;
			memcpy(&f, p, 8);
			snprintf(buf, sizeof buf, "%.17g", f);
		}
	}
	out_printf("%*s", width, buf);
}

int od_main(int argc, char **argv)
{
	static const struct option longs[] = {{"address-radix", 1, 0, 'A'}, {"format", 1, 0, 't'}, {"read-bytes", 1, 0, 'N'},
					      {"skip-bytes", 1, 0, 'j'}, {"width", 2, 0, 'w'}, {"output-duplicates", 0, 0, 'v'}, {0, 0, 0, 0}};
	char radix = 'o';
	long long skip = 0, limit = -1;
	size_t width = 16;
	bool all = false;
	int status = 0;
	for (int c; (c = getopt_long(argc, argv, "A:t:N:j:w::vabcdosxXi", longs, NULL)) != -1;)
		switch (c) {
		case 'A': radix = *optarg; break;
		case 't': od_type(optarg); break;
		case 'N': limit = parse_size(optarg, "-N argument"); break;
		case 'j': skip = parse_size(optarg, "-j argument"); break;
		case 'w': width = optarg ? (size_t)parse_int(optarg, "-w argument") : 32; break;
		case 'v': all = true; break;
		case 'a': od_type("a"); break;
		case 'b': od_type("o1"); break;
		case 'c': od_type("c"); break;
		case 'd': od_type("u2"); break;
		case 'o': od_type("o2"); break;
		case 's': od_type("d2"); break;
		case 'x': od_type("x2"); break;
		case 'X': od_type("x4"); break;
		case 'i': od_type("d4"); break;
		default: usage_error("bad option");
		}
	if (!od_ntypes)
		od_type("o2");
	Text t = input_all(argc, argv, optind, &status);
	size_t at;
	cut_range(&t, &at, skip, limit);
	const char *address = radix == 'd' ? "%07zu" : radix == 'x' ? "%06zx" : "%07zo";
	/* Columns of all types line up: each unit is as wide as its widest peer. */
	int per_byte_num = 0, per_byte_den = 1;
	for (int i = 0; i < od_ntypes; i++)
		if (od_width(&od_types[i]) * per_byte_den > per_byte_num * od_types[i].size) {
			per_byte_num = od_width(&od_types[i]);
			per_byte_den = od_types[i].size;
		}
	bool starred = false;
	for (size_t line = at; line < t.len; line += width) {
		size_t n = t.len - line < width ? t.len - line : width;
		if (!all && line > at && n == width && !memcmp(t.s + line, t.s + line - width, width)) {
			if (!starred)
				out_str("*\n");
			starred = true;
			continue;
		}
		starred = false;
		for (int i = 0; i < od_ntypes; i++) {
			if (radix != 'n')
				i ? out_printf("%*s", radix == 'x' ? 6 : 7, "") : out_printf(address, line);
			const OdType *ty = &od_types[i];
			unsigned char padded[256] = {0};
			memcpy(padded, t.s + line, n < sizeof padded ? n : sizeof padded);
			int unit = (per_byte_num * ty->size + per_byte_den - 1) / per_byte_den;
			for (size_t k = 0; k < n; k += (size_t)ty->size)
				od_unit(ty, padded + k, unit);
			if (ty->text) {
				for (size_t k = n; k < width; k += (size_t)ty->size)
					out_printf("%*s", unit, "");
				out_str("  >");
				for (size_t k = 0; k < n; k++)
					out_char(isprint(padded[k]) ? padded[k] : '.');
				out_char('<');
			}
			out_char('\n');
		}
	}
	if (radix != 'n') {
		out_printf(address, t.len);
		out_char('\n');
	}
	return status;
}

/* ---- hexdump ---- */

int hexdump_main(int argc, char **argv)
{
	char format = !strcmp(tool, "hd") ? 'C' : 'w';
	long long skip = 0, limit = -1;
	bool all = false;
	int status = 0;
	for (int c; (c = getopt(argc, argv, "Cbcdoxn:s:ve:")) != -1;)
		switch (c) {
		case 'C': case 'b': case 'c': case 'd': case 'o': case 'x': format = (char)c; break;
		case 'n': limit = parse_size(optarg, "length"); break;
		case 's': skip = parse_size(optarg, "offset"); break;
		case 'v': all = true; break;
		case 'e': die(1, "-e is not available: use od -t or xxd");
		default: usage_error("bad option");
		}
	Text t = input_all(argc, argv, optind, &status);
	size_t at;
	cut_range(&t, &at, skip, limit);
	bool starred = false;
	for (size_t line = at; line < t.len; line += 16) {
		size_t n = t.len - line < 16 ? t.len - line : 16;
		const unsigned char *p = (unsigned char *)t.s + line;
		if (!all && line > at && n == 16 && !memcmp(p, p - 16, 16)) {
			if (!starred)
				out_str("*\n");
			starred = true;
			continue;
		}
		starred = false;
		out_printf(format == 'C' ? "%08zx" : "%07zx", line);
		if (format == 'C') {
			for (size_t k = 0; k < 16; k++) {
				if (k % 8 == 0)
					out_char(' ');
				if (k < n)
					out_printf(" %02x", p[k]);
				else
					out_str("   ");
			}
			out_str("  |");
			for (size_t k = 0; k < n; k++)
				out_char(isprint(p[k]) ? p[k] : '.');
			out_str("|\n");
			continue;
		}
		bool bytes = format == 'b' || format == 'c';
		for (size_t k = 0; k < 16; k += bytes ? 1 : 2) {
			unsigned v = k < n ? p[k] | (!bytes && k + 1 < n ? (unsigned)p[k + 1] << 8 : 0) : 0;
			int width = bytes ? 4 : format == 'w' ? 5 : 8;
			if (k >= n)
				out_printf("%*s", width, "");
			else if (format == 'w')
				out_printf(" %04x", v);
			else if (format == 'x')
				out_printf("    %04x", v);
			else if (format == 'd')
				out_printf("   %05u", v);
			else if (format == 'o')
				out_printf("  %06o", v);
			else if (format == 'b')
				out_printf(" %03o", v);
			else
				od_unit(&(OdType){.kind = 'c', .size = 1}, p + k, 4);
		}
		out_char('\n');
	}
	if (t.len > at)
		out_printf(format == 'C' ? "%08zx\n" : "%07zx\n", t.len);
	return status;
}

/* ---- xxd ---- */

static int hex_digit(int c)
{
	return isdigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void xxd_reverse(const Text *t, bool plain)
{
	int high = -1;
	for (size_t i = 0; i < t->len; i++) {
		if (!plain) { /* skip "00000000:" and stop before the text column */
			while (i < t->len && t->s[i] != ':' && t->s[i] != '\n')
				i++;
			for (i++; i < t->len && t->s[i] != '\n'; i++) {
				if (t->s[i] == ' ' && i + 1 < t->len && t->s[i + 1] == ' ')
					break;
				int d = hex_digit((unsigned char)t->s[i]);
				if (d < 0)
					continue;
				if (high < 0)
					high = d;
				else {
					out_char(high << 4 | d);
					high = -1;
				}
			}
			while (i < t->len && t->s[i] != '\n')
				i++;
			high = -1;
			continue;
		}
		int d = hex_digit((unsigned char)t->s[i]);
		if (d < 0)
			continue;
		if (high < 0)
			high = d;
		else {
			out_char(high << 4 | d);
			high = -1;
		}
	}
}

int xxd_main(int argc, char **argv)
{
	bool plain = false, reverse = false, upper = false, include = false, bits = false;
	long long columns = 0, group = -1, limit = -1, skip = 0;
	int status = 0;
	/* xxd accepts -ps and -len as words. */
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-ps"))
			argv[i] = "-p";
		else if (!strcmp(argv[i], "-len"))
			argv[i] = "-l";
		else if (!strcmp(argv[i], "-seek"))
			argv[i] = "-s";
	for (int c; (c = getopt(argc, argv, "pruc:g:l:s:ib")) != -1;)
		switch (c) {
		case 'p': plain = true; break;
		case 'r': reverse = true; break;
		case 'u': upper = true; break;
		case 'i': include = true; break;
		case 'b': bits = true; break;
		case 'c': columns = parse_int(optarg, "columns"); break;
		case 'g': group = parse_int(optarg, "group size"); break;
		case 'l': limit = strtoll(optarg, NULL, 0); break;
		case 's': skip = strtoll(optarg, NULL, 0); break;
		default: usage_error("bad option");
		}
	Text t = input_all(argc, argv, optind, &status);
	if (reverse) {
		xxd_reverse(&t, plain);
		return status;
	}
	size_t at;
	cut_range(&t, &at, skip, limit);
	const char *hex = upper ? "%02X" : "%02x";
	if (columns <= 0)
		columns = plain ? 30 : include ? 12 : bits ? 6 : 16;
	if (group < 0)
		group = bits ? 1 : 2;
	if (include) {
		const char *name = optind < argc ? argv[optind] : NULL;
		Text id = {0};
		for (const char *p = name ? name : ""; *p; p++)
			text_char(&id, isalnum((unsigned char)*p) ? *p : '_');
		if (name)
			out_printf("unsigned char %s[] = {\n", id.s);
		for (size_t k = at; k < t.len; k++)
			out_printf("%s0x%02x%s", (k - at) % (size_t)columns ? " " : "  ", (unsigned char)t.s[k],
				   k + 1 == t.len ? "\n" : (k - at + 1) % (size_t)columns ? "," : ",\n");
		if (name)
			out_printf("};\nunsigned int %s_len = %zu;\n", id.s, t.len - at);
		return status;
	}
	for (size_t line = at; line < t.len; line += (size_t)columns) {
		size_t n = t.len - line < (size_t)columns ? t.len - line : (size_t)columns;
		const unsigned char *p = (unsigned char *)t.s + line;
		if (plain) {
			for (size_t k = 0; k < n; k++)
				out_printf(hex, p[k]);
			out_char('\n');
			continue;
		}
		out_printf("%08zx:", line);
		for (size_t k = 0; k < (size_t)columns; k++) {
			if (group ? k % (size_t)group == 0 : k == 0)
				out_char(' ');
			if (k >= n)
				out_str(bits ? "        " : "  ");
			else if (bits)
				for (int b = 7; b >= 0; b--)
					out_char('0' + (p[k] >> b & 1));
			else
				out_printf(hex, p[k]);
		}
		out_str("  ");
		for (size_t k = 0; k < n; k++)
			out_char(isprint(p[k]) ? p[k] : '.');
		out_char('\n');
	}
	return status;
}

/* ---- strings ---- */

int strings_main(int argc, char **argv)
{
	long long least = 4;
	char radix = 0;
	int status = 0;
	if (argc > 1 && argv[1][0] == '-' && isdigit((unsigned char)argv[1][1])) {
		least = parse_int(argv[1] + 1, "minimum length");
		memmove(argv + 1, argv + 2, (size_t)(argc - 1) * sizeof *argv);
		argc--;
	}
	for (int c; (c = getopt(argc, argv, "an:t:o")) != -1;)
		switch (c) {
		case 'a': break;
		case 'n': least = parse_int(optarg, "minimum length"); break;
		case 't': radix = *optarg; break;
		case 'o': radix = 'o'; break;
		default: usage_error("bad option");
		}
	Text t = input_all(argc, argv, optind, &status);
	for (size_t i = 0; i < t.len;) {
		size_t k = i;
		while (k < t.len && (isprint((unsigned char)t.s[k]) || t.s[k] == '\t'))
			k++;
		if ((long long)(k - i) >= least) {
			if (radix)
				out_printf(radix == 'd' ? "%7zu " : radix == 'x' ? "%7zx " : "%7zo ", i);
			out_line(t.s + i, k - i);
		}
		i = k + 1;
	}
	return status;
}

/* ---- split ---- */

static int split_file(const char *prefix, int digits, bool numeric, unsigned long *k, const char *suffix)
{
	Text name = {0};
	text_str(&name, prefix);
	char tail[32];
	unsigned long v = (*k)++, base = numeric ? 10 : 26;
	tail[digits] = 0;
	for (int i = digits; i > 0; i--, v /= base)
		tail[i - 1] = (char)(numeric ? '0' + v % 10 : 'a' + v % 26);
	if (v)
		die(1, "output file suffixes exhausted");
	text_str(&name, tail);
	text_str(&name, suffix);
	int fd = open(name.s, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		die_errno(1, name.s);
	return fd;
}

int split_main(int argc, char **argv)
{
	static const struct option longs[] = {{"lines", 1, 0, 'l'}, {"bytes", 1, 0, 'b'}, {"number", 1, 0, 'n'},
					      {"suffix-length", 1, 0, 'a'}, {"numeric-suffixes", 0, 0, 'd'},
					      {"additional-suffix", 1, 0, 1}, {0, 0, 0, 0}};
	long long lines = 1000, bytes = 0, parts = 0;
	int digits = 2;
	bool numeric = false;
	const char *suffix = "";
	for (int c; (c = getopt_long(argc, argv, "l:b:n:a:d0123456789", longs, NULL)) != -1;)
		switch (c) {
		case 'l': lines = parse_int(optarg, "number of lines"); break;
		case 'b': bytes = parse_size(optarg, "number of bytes"); break;
		case 'n': parts = parse_int(optarg, "number of chunks"); break;
		case 'a': digits = (int)parse_int(optarg, "suffix length"); break;
		case 'd': numeric = true; break;
		case 1: suffix = optarg; break;
		default: usage_error("bad option");
		}
	require_args(argc, optind, 0, 2);
	if (lines < 1 || bytes < 0 || parts < 0 || digits < 1 || digits > 20)
		usage_error("invalid number");
	const char *prefix = optind + 1 < argc ? argv[optind + 1] : "x";
	Text t = {0};
	text_reserve(&t, 0);
	if (!slurp(optind < argc ? argv[optind] : "-", &t))
		return 1;
	unsigned long k = 0;
	size_t at = 0;
	for (long long part = 0; at < t.len || part < parts; part++) {
		size_t end = at;
		if (parts)
			end = part + 1 == parts ? t.len : at + t.len / (size_t)parts;
		else if (bytes)
			end = t.len - at < (size_t)bytes ? t.len : at + (size_t)bytes;
		else
			for (long long n = 0; n < lines && end < t.len; n++) {
				const char *nl = memchr(t.s + end, '\n', t.len - end);
				end = nl ? (size_t)(nl - t.s) + 1 : t.len;
			}
		int fd = split_file(prefix, digits, numeric, &k, suffix);
		if (!write_all(fd, t.s + at, end - at))
			die_errno(1, "output");
		close(fd);
		at = end;
		if (parts && part + 1 == parts)
			break;
	}
	return 0;
}
