/* print.c - echo and printf. */
#include "box.h"

#include <ctype.h>

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
