/* numbers.c - seq factor numfmt. */
#include "box.h"

#include <ctype.h>
#include <getopt.h>
#include <math.h>

/* ---- seq ---- */

static int decimals(const char *s)
{
	const char *dot = strchr(s, '.');
	return dot && !strpbrk(s, "eE") ? (int)strlen(dot + 1) : 0;
}

static double seq_number(const char *s)
{
	char *end;
	double v = strtod(s, &end);
	if (end == s || *end || isnan(v))
		usage_error("invalid floating point argument: '%s'", s);
	return v;
}

int seq_main(int argc, char **argv)
{
	const char *separator = "\n", *format = NULL;
	bool wide = false;
	int i = 1;
	for (; i < argc && argv[i][0] == '-' && argv[i][1] && !isdigit((unsigned char)argv[i][1]) && argv[i][1] != '.'; i++) {
		const char *a = argv[i];
		if (!strcmp(a, "--")) {
			i++;
			break;
		}
		if (!strcmp(a, "-w") || !strcmp(a, "--equal-width"))
			wide = true;
		else if (a[1] == 's' && a[2])
			separator = a + 2;
		else if (!strcmp(a, "-s") && i + 1 < argc)
			separator = argv[++i];
		else if (!strncmp(a, "--separator=", 12))
			separator = a + 12;
		else if (!strcmp(a, "-f") && i + 1 < argc)
			format = argv[++i];
		else if (!strncmp(a, "--format=", 9))
			format = a + 9;
		else
			usage_error("bad option '%s'", a);
	}
	require_args(argc, i, 1, 3);
	int n = argc - i;
	const char *from = n > 1 ? argv[i] : "1", *by = n > 2 ? argv[i + 1] : "1", *to = argv[argc - 1];
	double first = seq_number(from), step = seq_number(by), last = seq_number(to);
	if (step == 0)
		usage_error("invalid Zero increment value: '%s'", by);
	int prec = decimals(from) > decimals(by) ? decimals(from) : decimals(by);
	char spec[32];
	if (!format) {
		int width = 0;
		if (wide) {
			char a[400], b[400];
			/* the last number printed, not the bound */
			double count = floor((last - first) / step + 1e-10);
			int wa = snprintf(a, sizeof a, "%.*f", prec, first);
			int wb = snprintf(b, sizeof b, "%.*f", prec, first + count * step);
			width = wa > wb ? wa : wb;
		}
		snprintf(spec, sizeof spec, "%%0%d.%df", width, prec);
		format = width ? spec : (snprintf(spec, sizeof spec, "%%.%df", prec), spec);
	}
	bool whole = prec == 0 && !wide && format == spec && floor(first) == first && floor(step) == step &&
		     fabs(first) < 9e15 && fabs(last) < 9e15;
	for (long long k = 0;; k++) {
		double v = first + (double)k * step;
		if (step > 0 ? v > last : v < last) {
			/* 0.1 steps may overshoot by a rounding error: what prints as
			 * the bound still counts. */
			char a[400], b[400];
			snprintf(a, sizeof a, "%.*f", prec, v);
			snprintf(b, sizeof b, "%.*f", prec, last);
			if (prec == 0 || strcmp(a, b) != 0 || decimals(to) > prec) {
				if (k > 0)
					out_char('\n');
				break;
			}
		}
		if (k > 0)
			out_str(separator);
		if (whole)
			out_printf("%lld", (long long)v);
		else
			out_printf(format, v);
	}
	return 0;
}

/* ---- factor, numfmt ---- */

static int factor_status;

static void factor_number(const char *s)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(s, &end, 10);
	if (end == s || *end || errno || *s == '-') {
		warn("'%s' is not a valid positive integer", s);
		factor_status = 1;
		return;
	}
	out_printf("%llu:", n);
	for (unsigned long long p = 2; p <= n / p; p += p == 2 ? 1 : 2)
		for (; n % p == 0; n /= p)
			out_printf(" %llu", p);
	if (n > 1)
		out_printf(" %llu", n);
	out_char('\n');
}

int factor_main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		factor_number(argv[i]);
	if (argc == 1) {
		Reader r;
		char *s;
		size_t n;
		reader_from_fd(&r, 0, "-");
		while (reader_record(&r, '\n', &s, &n, NULL))
			for (char *w = strtok(s, " \t"); w; w = strtok(NULL, " \t"))
				factor_number(w);
	}
	return factor_status;
}

static struct {
	int from, to; /* 0 none, 1000 si, 1024 iec, 1025 iec-i, 1 auto */
	int padding;
	size_t field;
	int delim;
	const char *suffix;
} nf = {.field = 1, .delim = -1, .suffix = ""};

static int numfmt_unit(const char *s)
{
	if (!strcmp(s, "none"))
		return 0;
	if (!strcmp(s, "si"))
		return 1000;
	if (!strcmp(s, "iec"))
		return 1024;
	if (!strcmp(s, "iec-i"))
		return 1025;
	if (!strcmp(s, "auto"))
		return 1;
	usage_error("invalid unit '%s'", s);
}

static void numfmt_word(const char *s, size_t n, int width)
{
	char *word = xmemdup(s, n), *end;
	double v = strtod(word, &end);
	if (end == word)
		die(2, "invalid number: '%s'", word);
	const char *units = "KMGTPE";
	const char *u = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	int prec = 0;
	const char *dot = strchr(word, '.');
	if (dot && !u)
		prec = (int)(end - dot) - 1;
	if (u) {
		if (!nf.from)
			die(2, "rejecting suffix in input: '%s' (consider using --from)", word);
		double base = nf.from == 1000 || (nf.from == 1 && end[1] != 'i') ? 1000 : 1024;
		v *= pow(base, (double)(u - units + 1));
	} else if (*end)
		die(2, "invalid suffix in input: '%s'", word);
	char text[64];
	if (nf.to) {
		double base = nf.to == 1000 ? 1000 : 1024;
		int power = 0;
		double a = fabs(v);
		while (a >= base && power < 6) {
			a /= base;
			power++;
		}
		/* away from zero, one decimal below ten */
		if (power == 0)
			snprintf(text, sizeof text, "%.0f", v);
		else {
			double r = a < 10 ? ceil(a * 10 - 1e-9) / 10 : ceil(a - 1e-9);
			if (r >= base && power < 6) {
				r /= base;
				power++;
			}
			snprintf(text, sizeof text, "%s%.*f%c%s", v < 0 ? "-" : "", r < 10 ? 1 : 0, r,
				 nf.to == 1000 && power == 1 ? 'K' : units[power - 1], nf.to == 1025 ? "i" : "");
		}
	} else
		snprintf(text, sizeof text, "%.*f", prec, v);
	strncat(text, nf.suffix, sizeof text - strlen(text) - 1);
	out_printf("%*s", nf.padding ? nf.padding : width, text);
	free(word);
}

static void numfmt_line(const char *s, size_t n)
{
	size_t field = 0;
	for (size_t i = 0; i < n;) {
		size_t start = i;
		if (nf.delim < 0)
			while (i < n && isblank((unsigned char)s[i]))
				i++;
		size_t word = i;
		while (i < n && (nf.delim < 0 ? !isblank((unsigned char)s[i]) : s[i] != nf.delim))
			i++;
		if (++field == nf.field && i > word) {
			/* Blanks before the number are part of its column: it stays
			 * as wide as it was. */
			if (word > start && field > 1) {
				out_char(' ');
				start++;
			}
			numfmt_word(s + word, i - word, word > start ? (int)(i - start) : 0);
		} else
			out(s + start, i - start);
		if (nf.delim >= 0 && i < n)
			out_char(s[i++]);
	}
	out_char('\n');
}

int numfmt_main(int argc, char **argv)
{
	static const struct option longs[] = {{"from", 1, 0, 1}, {"to", 1, 0, 2}, {"padding", 1, 0, 3}, {"field", 1, 0, 4},
					      {"delimiter", 1, 0, 'd'}, {"suffix", 1, 0, 5}, {0, 0, 0, 0}};
	for (int c; (c = getopt_long(argc, argv, "d:", longs, NULL)) != -1;)
		switch (c) {
		case 1: nf.from = numfmt_unit(optarg); break;
		case 2: nf.to = numfmt_unit(optarg); break;
		case 3: nf.padding = (int)parse_int(optarg, "padding value"); break;
		case 4: nf.field = (size_t)parse_int(optarg, "field value"); break;
		case 5: nf.suffix = optarg; break;
		case 'd': nf.delim = (unsigned char)optarg[0]; break;
		default: usage_error("bad option");
		}
	for (int i = optind; i < argc; i++)
		numfmt_line(argv[i], strlen(argv[i]));
	if (optind == argc) {
		Reader r;
		char *s;
		size_t n;
		reader_from_fd(&r, 0, "-");
		while (reader_record(&r, '\n', &s, &n, NULL))
			numfmt_line(s, n);
	}
	return 0;
}
