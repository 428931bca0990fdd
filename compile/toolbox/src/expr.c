/* expr.c - expr and test: small languages in argv. */
#include "tools.h"

#include <ctype.h>
#include <sys/stat.h>

/* ---- expr ---- */

static char **word;

static bool is(const char *s) { return *word && !strcmp(*word, s); }

static bool as_integer(const char *s, long long *v)
{
	char *end;
	errno = 0;
	if (!isdigit((unsigned char)*s) && !(*s == '-' && isdigit((unsigned char)s[1])))
		return false;
	*v = strtoll(s, &end, 10);
	if (errno)
		die(3, "%s: value out of range", s);
	return !*end;
}

static bool is_null(const char *s)
{
	if (!*s)
		return true;
	if (*s == '-')
		s++;
	return *s && !s[strspn(s, "0")];
}

static const char *of_integer(long long v)
{
	char buf[32];
	snprintf(buf, sizeof buf, "%lld", v);
	return xstrdup(buf);
}

static const char *expr_or(void);

static const char *need_word(void)
{
	if (!*word)
		die(2, "syntax error: missing argument after '%s'", word[-1]);
	return *word++;
}

static const char *match_text(const char *s, const char *pattern)
{
	regmatch_t m[2];
	regex_t re = compiled(pattern, 2);
	/* Anchored at the start: a match there is the leftmost one. */
	bool hit = regexec(&re, s, 2, m, 0) == 0 && m[0].rm_so == 0;
	if (re.re_nsub > 0)
		return hit && m[1].rm_so >= 0 ? xmemdup(s + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so)) : "";
	return of_integer(hit ? m[0].rm_eo - m[0].rm_so : 0);
}

static const char *expr_primary(void)
{
	if (is("(")) {
		word++;
		const char *v = expr_or();
		if (!is(")"))
			die(2, "syntax error: expecting ')' after '%s'", word[-1]);
		word++;
		return v;
	}
	if (is("+")) {
		word++;
		return need_word();
	}
	if (is("length") && word[1]) {
		word++;
		return of_integer((long long)strlen(expr_primary()));
	}
	if (is("index") && word[1]) {
		word++;
		const char *s = expr_primary(), *set = expr_primary();
		size_t n = strcspn(s, set);
		return of_integer(s[n] ? (long long)n + 1 : 0);
	}
	if (is("match") && word[1]) {
		word++;
		const char *s = expr_primary(), *re = expr_primary();
		return match_text(s, re);
	}
	if (is("substr") && word[1]) {
		word++;
		const char *s = expr_primary(), *from = expr_primary(), *count = expr_primary();
		long long a, n, len = (long long)strlen(s);
		if (!as_integer(from, &a) || !as_integer(count, &n) || a < 1 || n < 1 || a > len)
			return "";
		return xmemdup(s + a - 1, (size_t)(n < len - a + 1 ? n : len - a + 1));
	}
	if (is(")"))
		die(2, "syntax error: unexpected ')'");
	return need_word();
}

static const char *expr_match(void)
{
	const char *v = expr_primary();
	while (is(":")) {
		word++;
		v = match_text(v, expr_primary());
	}
	return v;
}

static const char *arithmetic(const char *a, int op, const char *b)
{
	long long x, y, v = 0;
	if (!as_integer(a, &x) || !as_integer(b, &y))
		die(2, "non-integer argument");
	if ((op == '/' || op == '%') && y == 0)
		die(2, "division by zero");
	bool over = false;
	switch (op) {
	case '*': over = __builtin_mul_overflow(x, y, &v); break;
	case '/': over = y == -1 && x < -INT64_MAX; v = over ? 0 : x / y; break;
	case '%': v = y == -1 ? 0 : x % y; break;
	case '+': over = __builtin_add_overflow(x, y, &v); break;
	case '-': over = __builtin_sub_overflow(x, y, &v); break;
	}
	if (over)
		die(3, "%s: value out of range", a);
	return of_integer(v);
}

static const char *expr_product(void)
{
	const char *v = expr_match();
	while (is("*") || is("/") || is("%")) {
		int op = **word++;
		v = arithmetic(v, op, expr_match());
	}
	return v;
}

static const char *expr_sum(void)
{
	const char *v = expr_product();
	while (is("+") || is("-")) {
		int op = **word++;
		v = arithmetic(v, op, expr_product());
	}
	return v;
}

static const char *expr_compare(void)
{
	const char *v = expr_sum();
	while (is("<") || is("<=") || is("=") || is("==") || is("!=") || is(">=") || is(">")) {
		const char *op = *word++, *b = expr_sum();
		long long x, y;
		int c = as_integer(v, &x) && as_integer(b, &y) ? (x > y) - (x < y) : strcmp(v, b);
		bool yes = *op == '<' ? (op[1] ? c <= 0 : c < 0)
			   : *op == '>' ? (op[1] ? c >= 0 : c > 0)
			   : *op == '!' ? c != 0
					: c == 0;
		v = yes ? "1" : "0";
	}
	return v;
}

static const char *expr_and(void)
{
	const char *v = expr_compare();
	while (is("&")) {
		word++;
		const char *b = expr_compare();
		if (is_null(v) || is_null(b))
			v = "0";
	}
	return v;
}

static const char *expr_or(void)
{
	const char *v = expr_and();
	while (is("|")) {
		word++;
		const char *b = expr_and();
		if (is_null(v))
			v = is_null(b) ? "0" : b;
	}
	return v;
}

int expr_main(int argc, char **argv)
{
	word = argv + 1;
	if (is("--"))
		word++;
	require_args(argc, (int)(word - argv), 1, -1);
	const char *v = expr_or();
	if (*word)
		die(2, "syntax error: unexpected argument '%s'", *word);
	out_line(v, strlen(v));
	return is_null(v);
}

/* ---- test ---- */

static long long test_integer(const char *s)
{
	char *end;
	long long v = strtoll(s, &end, 10);
	while (isspace((unsigned char)*end))
		end++;
	if (end == s || *end)
		die(2, "%s: integer expression expected", s);
	return v;
}

static bool test_unary(int op, const char *arg)
{
	struct stat st;
	switch (op) {
	case 'n': return *arg;
	case 'z': return !*arg;
	case 't': return false;
	case 'h': case 'L': return lstat(arg, &st) == 0 && S_ISLNK(st.st_mode);
	}
	if (stat(arg, &st) < 0)
		return false;
	switch (op) {
	case 'd': return S_ISDIR(st.st_mode);
	case 'f': return S_ISREG(st.st_mode);
	case 's': return st.st_size > 0;
	case 'b': return S_ISBLK(st.st_mode);
	case 'c': return S_ISCHR(st.st_mode);
	case 'p': return S_ISFIFO(st.st_mode);
	case 'S': return S_ISSOCK(st.st_mode);
	case 'g': case 'u': case 'k': return false;
	default: return true; /* e r w x O G: what can be seen can be used */
	}
}

static bool is_unary(const char *s) { return s[0] == '-' && s[1] && !s[2] && strchr("bcdefghkLnprsStuwxzOG", s[1]); }

static bool is_binary(const char *s)
{
	static const char *ops[] = {"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (!strcmp(s, ops[i]))
			return true;
	return false;
}

static bool test_binary(const char *a, const char *op, const char *b)
{
	if (op[0] != '-') {
		int c = strcmp(a, b);
		return op[0] == '=' ? c == 0 : op[0] == '!' ? c != 0 : op[0] == '<' ? c < 0 : c > 0;
	}
	if (!strcmp(op, "-nt") || !strcmp(op, "-ot") || !strcmp(op, "-ef")) {
		struct stat x, y;
		bool hx = stat(a, &x) == 0, hy = stat(b, &y) == 0;
		if (op[1] == 'e')
			return hx && hy && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
		long long tx = hx ? (long long)x.st_mtime : -1, ty = hy ? (long long)y.st_mtime : -1;
		return op[1] == 'n' ? hx && tx > ty : hy && tx < ty;
	}
	long long x = test_integer(a), y = test_integer(b);
	switch (op[1] << 8 | op[2]) {
	case 'e' << 8 | 'q': return x == y;
	case 'n' << 8 | 'e': return x != y;
	case 'l' << 8 | 't': return x < y;
	case 'l' << 8 | 'e': return x <= y;
	case 'g' << 8 | 't': return x > y;
	default: return x >= y;
	}
}

static char **test_end;

static bool test_or(void);

static bool test_primary(void)
{
	int left = (int)(test_end - word);
	if (left <= 0)
		die(2, "argument expected");
	if (left >= 3 && is_binary(word[1]) ) {
		bool v = test_binary(word[0], word[1], word[2]);
		word += 3;
		return v;
	}
	if (left >= 2 && !strcmp(*word, "!")) {
		word++;
		return !test_primary();
	}
	if (left >= 2 && !strcmp(*word, "(")) {
		word++;
		bool v = test_or();
		if (word >= test_end || strcmp(*word, ")"))
			die(2, "')' expected");
		word++;
		return v;
	}
	if (left >= 2 && is_unary(*word)) {
		bool v = test_unary(word[0][1], word[1]);
		word += 2;
		return v;
	}
	return **word++ != 0;
}

static bool test_and(void)
{
	bool v = test_primary();
	while (word < test_end && !strcmp(*word, "-a")) {
		word++;
		v = test_primary() && v;
	}
	return v;
}

static bool test_or(void)
{
	bool v = test_and();
	while (word < test_end && !strcmp(*word, "-o")) {
		word++;
		v = test_and() || v;
	}
	return v;
}

int test_main(int argc, char **argv)
{
	if (!strcmp(tool, "[")) {
		if (strcmp(argv[argc - 1], "]"))
			die(2, "missing ']'");
		argc--;
	}
	word = argv + 1;
	test_end = argv + argc;
	int n = argc - 1;
	/* POSIX decides short expressions by their length. */
	if (n == 0)
		return 1;
	if (n == 1)
		return !*word[0];
	if (n == 2) {
		if (!strcmp(word[0], "!"))
			return *word[1] != 0;
		if (is_unary(word[0]))
			return !test_unary(word[0][1], word[1]);
		die(2, "%s: unary operator expected", word[0]);
	}
	if (n == 3) {
		if (is_binary(word[1]))
			return !test_binary(word[0], word[1], word[2]);
		if (!strcmp(word[1], "-a"))
			return !(*word[0] && *word[2]);
		if (!strcmp(word[1], "-o"))
			return !(*word[0] || *word[2]);
	}
	bool v = test_or();
	if (word < test_end)
		die(2, "too many arguments");
	return !v;
}
