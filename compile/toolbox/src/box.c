/* box.c - messages, memory, input, output: see box.h. */
#include "box.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>

const char *tool = "toolbox";

/* ---- messages ---- */

static void say(const char *fmt, va_list ap)
{
	fflush(stdout);
	fprintf(stderr, "%s: ", tool);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void die(int status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	exit(status);
}

void warn_errno(const char *path) { warn("%s: %s", path, strerror(errno)); }

void die_errno(int status, const char *path)
{
	warn_errno(path);
	exit(status);
}

/* usage_status is what POSIX asks for: some tools use 1 for "no" answers. */
static int usage_status(void)
{
	static const char *two[] = {"grep", "egrep", "fgrep", "sort", "diff", "cmp", "test", "[",
				    "expr", "ls", "printenv", NULL};
	for (int i = 0; two[i]; i++)
		if (!strcmp(tool, two[i]))
			return 2;
	return 1;
}

void usage_error(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	const Applet *a = find_applet(tool);
	if (a)
		fprintf(stderr, "usage: %s %s\n", tool, a->usage);
	exit(usage_status());
}

void require_args(int argc, int first, int least, int most)
{
	int n = argc - first;
	if (n < least)
		usage_error("missing operand");
	if (most >= 0 && n > most)
		usage_error("too many arguments");
}

/* ---- memory ---- */

static void *checked(void *p)
{
	if (!p) {
		fprintf(stderr, "%s: memory exhausted\n", tool);
		exit(2);
	}
	return p;
}

void *xmalloc(size_t n) { return checked(malloc(n ? n : 1)); }
void *xcalloc(size_t n, size_t size) { return checked(calloc(n ? n : 1, size ? size : 1)); }
void *xrealloc(void *p, size_t n) { return checked(realloc(p, n ? n : 1)); }
char *xstrdup(const char *s) { return xmemdup(s, strlen(s)); }

char *xmemdup(const char *s, size_t n)
{
	char *p = xmalloc(n + 1);
	memcpy(p, s, n);
	p[n] = 0;
	return p;
}

void text_reserve(Text *t, size_t extra)
{
	if (t->len + extra + 1 <= t->cap)
		return;
	size_t cap = t->cap ? t->cap * 2 : 64;
	while (cap < t->len + extra + 1)
		cap *= 2;
	t->s = xrealloc(t->s, cap);
	t->cap = cap;
}

void text_add(Text *t, const void *s, size_t n)
{
	text_reserve(t, n);
	if (n)
		memcpy(t->s + t->len, s, n);
	t->len += n;
	t->s[t->len] = 0;
}

void text_str(Text *t, const char *s) { text_add(t, s, strlen(s)); }

void text_char(Text *t, int c)
{
	char b = (char)c;
	text_add(t, &b, 1);
}

void text_printf(Text *t, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		text_reserve(t, (size_t)n);
		vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
		t->len += (size_t)n;
	}
	va_end(again);
}

/* ---- input ---- */

enum { READ_CHUNK = 65536 };

bool reader_open(Reader *r, const char *path)
{
	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdin")) {
		reader_from_fd(r, 0, "-");
		return true;
	}
	if (!strcmp(path, "/dev/null")) {
		reader_from_fd(r, -1, path);
		r->eof = true;
		return true;
	}
	int fd = open(path, O_RDONLY);
	struct stat st;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		fd = -1;
		errno = EISDIR;
	}
	if (fd < 0) {
		warn_errno(path);
		return false;
	}
	reader_from_fd(r, fd, path);
	return true;
}

void reader_from_fd(Reader *r, int fd, const char *name)
{
	memset(r, 0, sizeof *r);
	r->fd = fd;
	r->name = name;
}

void reader_close(Reader *r)
{
	if (r->fd > 2)
		close(r->fd);
	free(r->buf);
	r->buf = NULL;
}

/* fill reads more bytes behind the unread ones; false at the end. */
static bool fill(Reader *r)
{
	if (r->eof)
		return false;
	if (r->start > 0 && (r->start == r->end || r->end + READ_CHUNK + 1 > r->cap)) {
		memmove(r->buf, r->buf + r->start, r->end - r->start);
		r->end -= r->start;
		r->start = 0;
	}
	if (r->end + READ_CHUNK + 1 > r->cap) {
		r->cap = r->cap ? r->cap * 2 : READ_CHUNK + 1;
		if (r->cap < r->end + READ_CHUNK + 1)
			r->cap = r->end + READ_CHUNK + 1;
		r->buf = xrealloc(r->buf, r->cap);
	}
	ssize_t n;
	do
		n = read(r->fd, r->buf + r->end, READ_CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		warn_errno(r->name);
		r->failed = true;
	}
	if (n <= 0) {
		r->eof = true;
		return false;
	}
	r->end += (size_t)n;
	return true;
}

bool reader_record(Reader *r, int delim, char **line, size_t *len, bool *had_delim)
{
	size_t seen = 0;
	for (;;) {
		size_t have = r->end - r->start;
		char *at = have > seen ? memchr(r->buf + r->start + seen, delim, have - seen) : NULL;
		if (at) {
			*line = r->buf + r->start;
			*len = (size_t)(at - *line);
			*at = 0;
			r->start += *len + 1;
			if (had_delim)
				*had_delim = true;
			return true;
		}
		seen = have;
		if (!fill(r)) {
			if (have == 0)
				return false;
			*line = r->buf + r->start;
			*len = have;
			(*line)[have] = 0;
			r->start = r->end;
			if (had_delim)
				*had_delim = false;
			return true;
		}
	}
}

ssize_t reader_read(Reader *r, void *buf, size_t n)
{
	if (r->start == r->end && !fill(r))
		return 0;
	size_t have = r->end - r->start;
	if (n > have)
		n = have;
	memcpy(buf, r->buf + r->start, n);
	r->start += n;
	return (ssize_t)n;
}

int reader_byte(Reader *r)
{
	if (r->start == r->end && !fill(r))
		return EOF;
	return (unsigned char)r->buf[r->start++];
}

bool reader_all(Reader *r, Text *t)
{
	for (;;) {
		text_add(t, r->buf ? r->buf + r->start : "", r->end - r->start);
		r->start = r->end;
		if (!fill(r))
			return !r->failed;
	}
}

bool slurp(const char *path, Text *t)
{
	Reader r;
	if (!reader_open(&r, path))
		return false;
	bool ok = reader_all(&r, t);
	reader_close(&r);
	return ok;
}

/* ---- output ---- */

static char out_buf[65536];
static size_t out_len;
static int out_fd = 1;

void out_to(int fd)
{
	out_flush();
	out_fd = fd;
}

bool write_all(int fd, const void *s, size_t n)
{
	const char *p = s;
	while (n > 0 && fd != FD_NULL) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

static void write_failed(void)
{
	if (errno != EPIPE)
		fprintf(stderr, "%s: write error: %s\n", tool, strerror(errno));
	_Exit(errno == EPIPE ? 141 : 1);
}

void out_flush(void)
{
	size_t n = out_len;
	out_len = 0;
	if (n && !write_all(out_fd, out_buf, n))
		write_failed();
}

void out(const void *s, size_t n)
{
	if (n > sizeof out_buf - out_len) {
		out_flush();
		if (n >= sizeof out_buf) {
			if (!write_all(out_fd, s, n))
				write_failed();
			return;
		}
	}
	memcpy(out_buf + out_len, s, n);
	out_len += n;
}

void out_str(const char *s) { out(s, strlen(s)); }

void out_char(int c)
{
	if (out_len == sizeof out_buf)
		out_flush();
	out_buf[out_len++] = (char)c;
}

void out_printf(const char *fmt, ...)
{
	char small[512];
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof small) {
		char *big = xmalloc((size_t)n + 1);
		vsnprintf(big, (size_t)n + 1, fmt, again);
		out(big, (size_t)n);
		free(big);
	} else if (n > 0) {
		out(small, (size_t)n);
	}
	va_end(again);
}

/* ---- numbers and names ---- */

long long parse_int(const char *s, const char *what)
{
	char *end;
	errno = 0;
	long long n = strtoll(s, &end, 10);
	if (end == s || *end || errno)
		usage_error("invalid %s: '%s'", what, s);
	return n;
}

long long parse_size(const char *s, const char *what)
{
	char *end;
	errno = 0;
	long long n = strtoll(s, &end, 10);
	if (end == s && strchr("bkKMGTPE", *s) && *s)
		n = 1;
	else if (end == s || errno)
		usage_error("invalid %s: '%s'", what, s);
	if (*end == 'b' && !end[1])
		return n * 512;
	const char *units = "KMGTPE";
	const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (!*end)
		return n;
	if (!unit)
		usage_error("invalid %s: '%s'", what, s);
	long long base = end[1] == 'B' ? 1000 : 1024;
	for (const char *u = units; u <= unit; u++)
		n *= base;
	return n;
}

const char *human_size(unsigned long long n, char buf[32])
{
	if (n < 1024) {
		snprintf(buf, 32, "%llu", n);
		return buf;
	}
	const char *unit = "KMGTPE";
	double v = (double)n / 1024;
	while (v >= 1024 && unit[1]) {
		v /= 1024;
		unit++;
	}
	/* As coreutils: rounded up, one decimal below ten. */
	double tenth = (double)(long long)(v * 10);
	if (tenth < v * 10)
		tenth++;
	if (tenth < 100) {
		snprintf(buf, 32, "%.1f%c", tenth / 10, *unit);
	} else {
		double whole = (double)(long long)v;
		if (whole < v)
			whole++;
		if (whole >= 1024 && unit[1])
			snprintf(buf, 32, "1.0%c", unit[1]);
		else
			snprintf(buf, 32, "%.0f%c", whole, *unit);
	}
	return buf;
}

char *path_join(const char *dir, const char *name)
{
	Text t = {0};
	text_str(&t, dir);
	if (t.len && t.s[t.len - 1] != '/')
		text_char(&t, '/');
	text_str(&t, name);
	return t.s;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

int unescape_char(const char **s)
{
	const char *p = *s;
	int c = *p ? *p++ : '\\';
	switch (c) {
	case 'a': c = '\a'; break;
	case 'b': c = '\b'; break;
	case 'e': c = 27; break;
	case 'f': c = '\f'; break;
	case 'n': c = '\n'; break;
	case 'r': c = '\r'; break;
	case 't': c = '\t'; break;
	case 'v': c = '\v'; break;
	case '\\': break;
	case 'x': {
		int v = 0, n = 0;
		for (; n < 2 && isxdigit((unsigned char)*p); n++, p++)
			v = v * 16 + (isdigit((unsigned char)*p) ? *p - '0' : tolower((unsigned char)*p) - 'a' + 10);
		if (n)
			c = v;
		break;
	}
	default:
		if (c >= '0' && c <= '7') {
			int v = c - '0';
			for (int n = 1; n < 3 && *p >= '0' && *p <= '7'; n++)
				v = v * 8 + (*p++ - '0');
			c = v & 255;
		}
	}
	*s = p;
	return c;
}
