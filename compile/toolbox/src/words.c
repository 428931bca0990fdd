/* words.c - echo printf true false basename dirname seq env printenv pwd sleep
 * date factor numfmt: words in, words out. */
#include "box.h"
#include "tools.h"

#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <time.h>

extern char **environ;

int true_main(int argc, char **argv) { (void)argc; (void)argv; return 0; }
int false_main(int argc, char **argv) { (void)argc; (void)argv; return 1; }

/* ---- echo, printf ---- */

/* put_escaped prints s with its escapes; false when \c ended the output. */
static bool put_escaped(const char *s, bool zero_prefix)
{
	while (*s) {
		if (*s != '\\' || !s[1]) {
			out_char(*s++);
			continue;
		}
		s++;
		if (*s == 'c')
			return false;
		if (zero_prefix && *s == '0' && s[1] >= '0' && s[1] <= '7') {
			s++;
			int v = 0;
			for (int i = 0; i < 3 && *s >= '0' && *s <= '7'; i++)
				v = v * 8 + *s++ - '0';
			out_char(v);
			continue;
		}
		if (!strchr("abefnrtvx\\01234567\"", *s)) {
			out_char('\\');
			continue;
		}
		if (*s == '"') {
			out_char(*s++);
			continue;
		}
		if (*s == 'x' && !isxdigit((unsigned char)s[1])) {
			out_char('\\');
			continue;
		}
		out_char(unescape_char(&s));
	}
	return true;
}

int echo_main(int argc, char **argv)
{
	bool newline = true, escapes = false;
	int i = 1;
	for (; i < argc && argv[i][0] == '-' && argv[i][1] && !argv[i][1 + strspn(argv[i] + 1, "neE")]; i++)
		for (const char *p = argv[i] + 1; *p; p++) {
			if (*p == 'n')
				newline = false;
			else
				escapes = *p == 'e';
		}
	for (int first = i; i < argc; i++) {
		if (i > first)
			out_char(' ');
		if (!escapes)
			out_str(argv[i]);
		else if (!put_escaped(argv[i], true))
			return 0;
	}
	if (newline)
		out_char('\n');
	return 0;
}

static int printf_status;

/* number_argument reads a printf argument: C constants, or 'c for a byte. */
static void check_number(const char *s, const char *end)
{
	if (*s == 0) {
		warn("'': expected a numeric value");
		printf_status = 1;
	} else if (*end) {
		warn(end == s ? "'%s': expected a numeric value" : "'%s': value not completely converted", s);
		printf_status = 1;
	}
}

static long long integer_argument(const char *s)
{
	if (!s)
		return 0;
	if ((*s == '\'' || *s == '"') && s[1])
		return (unsigned char)s[1];
	char *end;
	errno = 0;
	long long v = strtoll(s, &end, 0);
	if (errno == ERANGE)
		v = *s == '-' ? v : (long long)strtoull(s, &end, 0);
	check_number(s, end);
	return v;
}

static double float_argument(const char *s)
{
	if (!s)
		return 0;
	if ((*s == '\'' || *s == '"') && s[1])
		return (unsigned char)s[1];
	char *end;
	double v = strtod(s, &end);
	check_number(s, end);
	return v;
}

static void put_quoted(const char *s)
{
	if (*s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")]) {
		out_str(s);
		return;
	}
	out_char('\'');
	for (; *s; s++)
		if (*s == '\'')
			out_str("'\\''");
		else
			out_char(*s);
	out_char('\'');
}

int printf_main(int argc, char **argv)
{
	int at = 1;
	if (argc > 1 && !strcmp(argv[1], "--"))
		at++;
	if (at >= argc)
		usage_error("missing operand");
	const char *format = argv[at++];
	do {
		int before = at;
		for (const char *p = format; *p;) {
			if (*p == '\\' && p[1]) {
				p++;
				if (*p == 'c')
					return printf_status;
				if (!strchr("abefnrtvx\\01234567\"", *p)) {
					out_char('\\');
					continue;
				}
				if (*p == '"')
					out_char(*p++);
				else
					out_char(unescape_char(&p));
				continue;
			}
			if (*p != '%') {
				out_char(*p++);
				continue;
			}
			if (p[1] == '%') {
				out_char('%');
				p += 2;
				continue;
			}
			char spec[64] = "%";
			size_t n = 1;
			p++;
			while (*p && strchr("-+ #0", *p) && n < 20)
				spec[n++] = *p++;
			for (int part = 0; part < 2; part++) {
				if (part == 1) {
					if (*p != '.')
						break;
					spec[n++] = *p++;
				}
				if (*p == '*') {
					n += (size_t)snprintf(spec + n, 12, "%d", (int)integer_argument(at < argc ? argv[at] : NULL));
					at += at < argc;
					p++;
				} else
					while (isdigit((unsigned char)*p) && n < 50)
						spec[n++] = *p++;
			}
			while (*p && strchr("hlLjzt", *p))
				p++;
			int conv = *p ? *p++ : 0;
			const char *arg = at < argc ? argv[at] : NULL;
			switch (conv) {
			case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
				memcpy(spec + n, (char[]){'l', 'l', (char)conv, 0}, 4);
				out_printf(spec, integer_argument(arg));
				break;
			case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
				memcpy(spec + n, (char[]){(char)conv, 0}, 2);
				out_printf(spec, float_argument(arg));
				break;
			case 'c':
				if (arg && *arg) {
					memcpy(spec + n, "c", 2);
					out_printf(spec, *arg);
				}
				break;
			case 's':
				memcpy(spec + n, "s", 2);
				out_printf(spec, arg ? arg : "");
				break;
			case 'b':
				if (arg && !put_escaped(arg, true))
					return printf_status;
				break;
			case 'q': put_quoted(arg ? arg : ""); break;
			default: die(1, "%%%c: invalid conversion specification", conv);
			}
			at += at < argc;
		}
		if (at == before)
			break;
	} while (at < argc);
	return printf_status;
}

/* ---- basename, dirname ---- */

static void put_base(char *path, const char *suffix, int end)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		path[--n] = 0;
	const char *base = path_base(path);
	size_t len = strlen(base), s = suffix ? strlen(suffix) : 0;
	if (s && len > s && !strcmp(base + len - s, suffix))
		len -= s;
	out(base, len);
	out_char(end);
}

int basename_main(int argc, char **argv)
{
	static const struct option longs[] = {{"multiple", 0, 0, 'a'}, {"suffix", 1, 0, 's'}, {"zero", 0, 0, 'z'}, {0, 0, 0, 0}};
	bool many = false;
	const char *suffix = NULL;
	int end = '\n';
	for (int c; (c = getopt_long(argc, argv, "+as:z", longs, NULL)) != -1;)
		switch (c) {
		case 'a': many = true; break;
		case 's': many = true; suffix = optarg; break;
		case 'z': end = 0; break;
		default: usage_error("bad option");
		}
	require_args(argc, optind, 1, many ? -1 : 2);
	if (!many) {
		put_base(argv[optind], optind + 1 < argc ? argv[optind + 1] : NULL, end);
		return 0;
	}
	for (int i = optind; i < argc; i++)
		put_base(argv[i], suffix, end);
	return 0;
}

int dirname_main(int argc, char **argv)
{
	int end = '\n';
	for (int c; (c = getopt(argc, argv, "z")) != -1;)
		end = c == 'z' ? 0 : (usage_error("bad option"), 0);
	require_args(argc, optind, 1, -1);
	for (int i = optind; i < argc; i++) {
		size_t n = strlen(argv[i]);
		while (n > 1 && argv[i][n - 1] == '/')
			n--;
		while (n > 0 && argv[i][n - 1] != '/')
			n--;
		while (n > 1 && argv[i][n - 1] == '/')
			n--;
		out(n ? argv[i] : ".", n ? n : 1);
		out_char(end);
	}
	return 0;
}

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

/* ---- env, printenv, pwd, sleep ---- */

int env_main(int argc, char **argv)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "-i") || !strcmp(argv[i], "-") || !strcmp(argv[i], "--ignore-environment"))
			clearenv();
		else if (!strcmp(argv[i], "-u") && i + 1 < argc)
			unsetenv(argv[++i]);
		else if (!strcmp(argv[i], "--")) {
			i++;
			break;
		} else
			usage_error("bad option '%s'", argv[i]);
	}
	for (; i < argc && strchr(argv[i], '='); i++)
		putenv(argv[i]);
	if (i < argc) {
		pass_environment();
		return run_command(argv + i);
	}
	for (char **e = environ; e && *e; e++)
		out_line(*e, strlen(*e));
	return 0;
}

int printenv_main(int argc, char **argv)
{
	int status = 0;
	for (int i = 1; i < argc; i++) {
		const char *v = getenv(argv[i]);
		if (v)
			out_line(v, strlen(v));
		else
			status = 1;
	}
	if (argc == 1)
		for (char **e = environ; e && *e; e++)
			out_line(*e, strlen(*e));
	return status;
}

int pwd_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	char dir[PATH_MAX];
	if (!getcwd(dir, sizeof dir))
		die(1, "%s", strerror(errno));
	out_line(dir, strlen(dir));
	return 0;
}

int sleep_main(int argc, char **argv)
{
	require_args(argc, 1, 1, -1);
	double total = 0;
	for (int i = 1; i < argc; i++) {
		char *end;
		double v = strtod(argv[i], &end);
		double unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 1;
		if (end == argv[i] || v < 0 || (*end && (!strchr("smhd", *end) || end[1])))
			usage_error("invalid time interval '%s'", argv[i]);
		total += v * unit;
	}
	struct timespec t = {(time_t)total, (long)((total - floor(total)) * 1e9)};
	nanosleep(&t, NULL);
	return 0;
}

/* ---- date ---- */

static int two(const char *s) { return (s[0] - '0') * 10 + s[1] - '0'; }

/* days_from_civil counts days from 1970-01-01 in the proleptic Gregorian calendar. */
static long long days_from_civil(long long y, int m, int d)
{
	y -= m <= 2;
	long long era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
	long long doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1, doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
	return era * 146097 + doe - 719468;
}

static const char *unit_names[] = {"second", "minute", "hour", "day", "week", "fortnight", "month", "year", "sec", "min"};

/* apply_relative handles "+3 days", "2 weeks ago", "next month", "yesterday". */
static bool apply_relative(const char *s, struct tm *tm, long long *secs)
{
	while (*s) {
		while (isspace((unsigned char)*s) || *s == ',')
			s++;
		if (!*s)
			return true;
		long long n = 1;
		if (!strncmp(s, "now", 3) || !strncmp(s, "today", 5)) {
			s += *s == 'n' ? 3 : 5;
			continue;
		}
		if (!strncmp(s, "yesterday", 9)) {
			tm->tm_mday--;
			s += 9;
			continue;
		}
		if (!strncmp(s, "tomorrow", 8)) {
			tm->tm_mday++;
			s += 8;
			continue;
		}
		if (!strncmp(s, "UTC", 3) || *s == 'Z') {
			s += *s == 'Z' ? 1 : 3;
			continue;
		}
		if (!strncmp(s, "next ", 5))
			s += 5;
		else if (!strncmp(s, "last ", 5)) {
			n = -1;
			s += 5;
		} else if (*s == '+' || *s == '-' || isdigit((unsigned char)*s)) {
			int sign = 1;
			while (*s == '+' || *s == '-' || isspace((unsigned char)*s))
				sign = *s++ == '-' ? -1 : sign;
			char *end;
			n = sign * strtoll(s, &end, 10);
			if (end == s)
				return false;
			s = end;
		}
		while (isspace((unsigned char)*s))
			s++;
		int unit = -1;
		for (int i = 0; i < 10; i++)
			if (!strncmp(s, unit_names[i], strlen(unit_names[i]))) {
				unit = i;
				s += strlen(unit_names[i]);
				break;
			}
		if (unit < 0)
			return false;
		s += *s == 's';
		const char *look = s;
		while (isspace((unsigned char)*look))
			look++;
		if (!strncmp(look, "ago", 3)) {
			n = -n;
			s = look + 3;
		}
		switch (unit) {
		case 0: case 8: *secs += n; break;
		case 1: case 9: *secs += 60 * n; break;
		case 2: *secs += 3600 * n; break;
		case 3: tm->tm_mday += (int)n; break;
		case 4: tm->tm_mday += (int)n * 7; break;
		case 5: tm->tm_mday += (int)n * 14; break;
		case 6: tm->tm_mon += (int)n; break;
		case 7: tm->tm_year += (int)n; break;
		}
	}
	return true;
}

static time_t utc_time(struct tm *tm)
{
	long long month = tm->tm_mon, year = tm->tm_year + 1900LL;
	year += month >= 0 ? month / 12 : -((11 - month) / 12);
	month = ((month % 12) + 12) % 12;
	return (time_t)((days_from_civil(year, (int)month + 1, 1) + tm->tm_mday - 1) * 86400LL + tm->tm_hour * 3600LL +
			tm->tm_min * 60LL + tm->tm_sec);
}

/* parse_date reads @SECONDS, ISO 8601 dates and times, and relative words. */
static bool parse_date(const char *s, time_t now, time_t *result)
{
	while (isspace((unsigned char)*s))
		s++;
	if (*s == '@') {
		char *end;
		*result = (time_t)strtoll(s + 1, &end, 10);
		if (*end == '.')
			strtoll(end + 1, &end, 10);
		return *end == 0;
	}
	struct tm tm;
	gmtime_r(&now, &tm);
	long long offset = 0;
	int y, mo, d, used = 0;
	if ((sscanf(s, "%4d-%2d-%2d%n", &y, &mo, &d, &used) == 3 && used >= 8) ||
	    (sscanf(s, "%4d/%2d/%2d%n", &y, &mo, &d, &used) == 3 && used >= 8) ||
	    (strspn(s, "0123456789") == 8 && sscanf(s, "%4d%2d%2d%n", &y, &mo, &d, &used) == 3)) {
		if (mo < 1 || mo > 12 || d < 1 || d > 31)
			return false;
		tm.tm_year = y - 1900;
		tm.tm_mon = mo - 1;
		tm.tm_mday = d;
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		s += used;
		if (*s == 'T' && isdigit((unsigned char)s[1]))
			s++;
	}
	while (isspace((unsigned char)*s))
		s++;
	if (isdigit((unsigned char)s[0]) && strspn(s, "0123456789") <= 2 && s[strspn(s, "0123456789")] == ':') {
		int h = 0, mi = 0, sec = 0;
		sscanf(s, "%2d:%2d%n", &h, &mi, &used);
		s += used;
		if (*s == ':' && isdigit((unsigned char)s[1]) && isdigit((unsigned char)s[2])) {
			sec = two(s + 1);
			s += 3;
			if (*s == '.')
				s += 1 + strspn(s + 1, "0123456789");
		}
		if (h > 24 || mi > 59 || sec > 60)
			return false;
		tm.tm_hour = h;
		tm.tm_min = mi;
		tm.tm_sec = sec;
		if ((*s == '+' || *s == '-') && isdigit((unsigned char)s[1]) && isdigit((unsigned char)s[2])) {
			int sign = *s == '-' ? -1 : 1, oh = two(s + 1), om = 0;
			s += 3;
			if (*s == ':')
				s++;
			if (isdigit((unsigned char)s[0]) && isdigit((unsigned char)s[1])) {
				om = two(s);
				s += 2;
			}
			offset = sign * (oh * 3600LL + om * 60LL);
		}
	}
	long long secs = 0;
	if (!apply_relative(s, &tm, &secs))
		return false;
	*result = utc_time(&tm) - (time_t)offset + (time_t)secs;
	return true;
}

int date_main(int argc, char **argv)
{
	static const struct option longs[] = {{"date", 1, 0, 'd'}, {"utc", 0, 0, 'u'}, {"universal", 0, 0, 'u'},
					      {"iso-8601", 2, 0, 'I'}, {"rfc-3339", 1, 0, 1}, {"rfc-email", 0, 0, 'R'},
					      {"reference", 1, 0, 'r'}, {0, 0, 0, 0}};
	const char *format = "%a %b %e %H:%M:%S UTC %Y";
	time_t now = time(NULL), t = now;
	for (int c; (c = getopt_long(argc, argv, "d:uI::Rr:", longs, NULL)) != -1;)
		switch (c) {
		case 'd':
			if (!parse_date(optarg, now, &t))
				die(1, "invalid date '%s'", optarg);
			break;
		case 'u': break; /* the sandbox lives in UTC */
		case 'I':
			format = !optarg || !strcmp(optarg, "date") ? "%Y-%m-%d"
				 : !strcmp(optarg, "hours")         ? "%Y-%m-%dT%H+00:00"
				 : !strcmp(optarg, "minutes")       ? "%Y-%m-%dT%H:%M+00:00"
								    : "%Y-%m-%dT%H:%M:%S+00:00";
			break;
		case 1: format = !strcmp(optarg, "date") ? "%Y-%m-%d" : "%Y-%m-%d %H:%M:%S+00:00"; break;
		case 'R': format = "%a, %d %b %Y %H:%M:%S +0000"; break;
		case 'r': {
			struct stat st;
			if (stat(optarg, &st) < 0)
				die_errno(1, optarg);
			t = st.st_mtime;
			break;
		}
		default: usage_error("bad option");
		}
	if (optind < argc) {
		if (argv[optind][0] != '+')
			die(1, "the clock cannot be set here");
		format = argv[optind] + 1;
	}
	struct tm tm;
	gmtime_r(&t, &tm);
	/* strftime knows neither %N nor a zone name; both are fixed here. */
	Text f = {0};
	text_reserve(&f, 0);
	for (const char *p = format; *p; p++) {
		if (*p != '%' || !p[1]) {
			text_char(&f, *p);
			continue;
		}
		p++;
		if (*p == 'N')
			text_str(&f, "000000000");
		else if (*p == '3' && p[1] == 'N') {
			text_str(&f, "000");
			p++;
		} else if (*p == 'Z')
			text_str(&f, "UTC");
		else if (*p == 'z')
			text_str(&f, "+0000");
		else if (*p == ':' && p[1] == 'z') {
			text_str(&f, "+00:00");
			p++;
		} else if (*p == 's')
			text_printf(&f, "%lld", (long long)t);
		else if (*p == 'k')
			text_printf(&f, "%2d", tm.tm_hour);
		else if (*p == 'l')
			text_printf(&f, "%2d", tm.tm_hour % 12 ? tm.tm_hour % 12 : 12);
		else if (*p == 'P')
			text_str(&f, tm.tm_hour < 12 ? "am" : "pm");
		else if (*p == 'q')
			text_printf(&f, "%d", tm.tm_mon / 3 + 1);
		else if (*p == '-' && p[1]) { /* no padding */
			char one[3] = {'%', *++p, 0}, buf[64];
			strftime(buf, sizeof buf, one, &tm);
			const char *b = buf;
			while ((*b == '0' || *b == ' ') && b[1])
				b++;
			text_str(&f, b);
		} else {
			text_char(&f, '%');
			text_char(&f, *p);
		}
	}
	if (f.len == 0) {
		out_char('\n');
		return 0;
	}
	size_t room = f.len * 16 + 256;
	char *line = xmalloc(room);
	size_t n = strftime(line, room, f.s, &tm);
	out_line(line, n);
	return 0;
}

/* ---- factor, numfmt ---- */

static void factor_number(const char *s)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(s, &end, 10);
	if (end == s || *end || errno || *s == '-') {
		warn("'%s' is not a valid positive integer", s);
		printf_status = 1;
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
	return printf_status;
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
