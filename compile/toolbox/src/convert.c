/* convert.c - iconv envsubst: a text in another encoding, and with variables filled in. */
#include "tools.h"

#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <iconv.h>

/* ---- iconv ---- */

/* take_suffix cuts //TRANSLIT or //IGNORE from the name of an encoding. */
static bool take_suffix(char *name, const char *suffix)
{
	char *at = strcasestr(name, suffix);
	if (!at)
		return false;
	*at = 0;
	return true;
}

struct conversion {
	iconv_t how;
	bool drop, replace;
};

/* flush_state writes what an encoding ends with. */
static void flush_state(struct conversion *c)
{
	char buf[16], *to = buf;
	size_t room = sizeof buf;
	iconv(c->how, NULL, NULL, &to, &room);
	out(buf, sizeof buf - room);
}

/* convert goes from character to character: the library puts * where the other
 * encoding has none, and tells only how many there were. */
static int convert(Reader *r, void *state)
{
	struct conversion *c = state;
	Text t = {0};
	text_reserve(&t, 0);
	if (!reader_all(r, &t))
		return 1;
	int status = 0;
	char *at = t.s;
	for (size_t left = t.len; left > 0;) {
		char buf[32], *to = buf;
		size_t room = sizeof buf, take = 1, n = (size_t)-1;
		for (; take <= left && take <= 8; take++) {
			char *from = at;
			size_t rest = take;
			n = iconv(c->how, &from, &rest, &to, &room);
			if (n != (size_t)-1 || errno != EINVAL)
				break; /* EINVAL: more bytes of it are to come */
		}
		if (n == (size_t)-1) {
			if (!c->drop) {
				out_flush();
				warn(errno == EINVAL ? "incomplete character or shift sequence at end of buffer" : "illegal input sequence at position %zu",
				     (size_t)(at - t.s));
				return 1;
			}
			status = 1;
			take = 1;
		} else if (n == 0) {
			out(buf, sizeof buf - room);
		} else if (c->replace) {
			for (char *p = buf; p < to; p++)
				*p = *p == '*' ? '?' : *p;
			out(buf, sizeof buf - room);
		} else if (c->drop) {
			status = 1;
		} else {
			out_flush();
			warn("cannot convert");
			return 1;
		}
		take = take > left ? left : take;
		at += take;
		left -= take;
	}
	flush_state(c);
	return status;
}

int iconv_main(int argc, char **argv)
{
	static const struct option longs[] = {{"from-code", 1, 0, 'f'}, {"to-code", 1, 0, 't'}, {"output", 1, 0, 'o'}, {"list", 0, 0, 'l'}, {0, 0, 0, 0}};
	char *from = "UTF-8", *to = "UTF-8";
	struct conversion c = {0};
	for (int opt; (opt = getopt_long(argc, argv, "f:t:o:cls", longs, NULL)) != -1;)
		switch (opt) {
		case 'f': from = optarg; break;
		case 't': to = optarg; break;
		case 'c': c.drop = true; break;
		case 's': break;
		case 'o': {
			int fd = open_output(optarg, O_WRONLY | O_CREAT | O_TRUNC);
			if (fd == -1)
				die_errno(1, optarg);
			out_to(fd);
			break;
		}
		case 'l':
			out_str("ASCII\nBIG5\nCP1250 to CP1258\nEUC-JP\nEUC-KR\nGB18030\nGBK\nISO-2022-JP\nISO-8859-1 to -16\nKOI8-R\nKOI8-U\n"
				"SHIFT_JIS\nUCS-2\nUTF-7\nUTF-8\nUTF-16\nUTF-16BE\nUTF-16LE\nUTF-32\nUTF-32BE\nUTF-32LE\nWCHAR_T\n");
			return 0;
		default: usage_error("bad option");
		}
	from = xstrdup(from), to = xstrdup(to);
	take_suffix(from, "//");
	c.replace = take_suffix(to, "//TRANSLIT");
	c.drop |= take_suffix(to, "//IGNORE");
	take_suffix(to, "//");
	c.how = iconv_open(to, from);
	if (c.how == (iconv_t)-1)
		die(1, "conversion from '%s' to '%s' is not supported", from, to);
	return each_input(argc, argv, optind, convert, &c);
}

/* ---- envsubst ---- */

/* name_at is the length of $NAME or ${NAME} at s, 0 for neither; name receives its name. */
static size_t name_at(const char *s, size_t len, const char **name, size_t *n)
{
	bool braces = len > 1 && s[1] == '{';
	size_t begin = braces ? 2 : 1, i = begin;
	if (*s != '$' || i >= len || !(isalpha((unsigned char)s[i]) || s[i] == '_'))
		return 0;
	while (i < len && (isalnum((unsigned char)s[i]) || s[i] == '_'))
		i++;
	*name = s + begin;
	*n = i - begin;
	if (!braces)
		return i;
	return i < len && s[i] == '}' ? i + 1 : 0;
}

/* mentions reports whether a format names a variable. */
static bool mentions(const char *format, const char *name, size_t n)
{
	size_t len = strlen(format), there;
	const char *one;
	for (size_t i = 0; i < len; i++)
		if (name_at(format + i, len - i, &one, &there) && there == n && !memcmp(one, name, n))
			return true;
	return false;
}

static int substitute(Reader *r, void *state)
{
	const char *format = state, *name;
	Text t = {0};
	text_reserve(&t, 0);
	if (!reader_all(r, &t))
		return 1;
	for (size_t i = 0, n, used; i < t.len; i += used) {
		used = name_at(t.s + i, t.len - i, &name, &n);
		if (!used || (format && !mentions(format, name, n))) {
			used = used ? used : 1;
			out(t.s + i, used);
			continue;
		}
		char *key = xmemdup(name, n), *value = getenv(key);
		if (value)
			out_str(value);
		free(key);
	}
	return 0;
}

int envsubst_main(int argc, char **argv)
{
	static const struct option longs[] = {{"variables", 0, 0, 'v'}, {0, 0, 0, 0}};
	bool list = false;
	for (int c; (c = getopt_long(argc, argv, "v", longs, NULL)) != -1;)
		if (c == 'v')
			list = true;
		else
			usage_error("bad option");
	require_args(argc, optind, list ? 1 : 0, 1);
	char *format = argv[optind];
	if (!list) {
		static char *input[] = {"envsubst", NULL};
		return each_input(1, input, 1, substitute, format);
	}
	size_t len = strlen(format), n, used;
	const char *name;
	for (size_t i = 0; i < len; i += used ? used : 1)
		if ((used = name_at(format + i, len - i, &name, &n)))
			out_line(name, n);
	return 0;
}
