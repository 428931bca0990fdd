/* box.h - what every tool of the toolbox shares.
 *
 * The toolbox is one program that holds many tools; argv[0] says which one
 * runs. It is written for a WebAssembly sandbox with wasi-libc, and builds
 * natively as well so that it can be compared with the machine's own tools.
 *
 * Conventions: a tool is `int NAME_main(int argc, char **argv)` and returns
 * its exit status. Text is bytes in the C locale. Memory lives until exit:
 * tools are short, so nothing is freed unless it would grow with the input.
 * Messages go to standard error as "tool: message" and never end the process
 * unless the function says so. */
#ifndef BOX_H
#define BOX_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char *tool; /* name of the running tool, for messages */

/* ---- messages ---- */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void die(int status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
void warn_errno(const char *path);                         /* "tool: path: reason" */
void die_errno(int status, const char *path) __attribute__((noreturn));
void usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn)); /* exit 2 for grep, sort, diff…, else 1 */
void require_args(int argc, int optind, int least, int most); /* most < 0: any number */

/* ---- memory ---- */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xmemdup(const char *s, size_t n); /* NUL-terminated copy */

/* Text is a growable byte string; s is NUL-terminated after every call. */
typedef struct {
	char *s;
	size_t len, cap;
} Text;
void text_reserve(Text *t, size_t extra);
void text_add(Text *t, const void *s, size_t n);
void text_str(Text *t, const char *s);
void text_char(Text *t, int c);
void text_printf(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* GROW makes room for one more element in a dynamic array. */
#define GROW(array, len, cap)                                                  \
	do {                                                                   \
		if ((len) == (cap)) {                                          \
			(cap) = (cap) ? (cap) * 2 : 16;                        \
			(array) = xrealloc((array), (cap) * sizeof *(array));  \
		}                                                              \
	} while (0)

/* ---- input ----
 * A Reader hands out a file's records without copying them where it can. */
typedef struct {
	int fd;
	const char *name;
	char *buf;
	size_t start, end, cap;
	bool eof, failed;
} Reader;
/* reader_open opens path for reading ("-", "/dev/stdin" and "/dev/null" work
 * everywhere); on failure it has said so and returns false. */
bool reader_open(Reader *r, const char *path);
void reader_from_fd(Reader *r, int fd, const char *name);
void reader_close(Reader *r);
/* reader_record points *line at the next record without its delimiter and
 * NUL-terminates it in place; the text is valid until the next call. *had_delim
 * (may be NULL) tells whether the delimiter was there. */
bool reader_record(Reader *r, int delim, char **line, size_t *len, bool *had_delim);
ssize_t reader_read(Reader *r, void *buf, size_t n); /* raw bytes; 0 at the end */
bool reader_all(Reader *r, Text *t);                 /* rest of the input */
int reader_byte(Reader *r);                          /* next byte or EOF */
/* slurp reads a whole file; false when it could not (said so already). */
bool slurp(const char *path, Text *t);

/* ---- output ----
 * Standard output through one large buffer. When nobody reads any more the
 * tool ends at once with status 141, as if by SIGPIPE. */
void out(const void *s, size_t n);
void out_str(const char *s);
static inline void out_line(const char *s, size_t n) { out(s, n); out("\n", 1); }
void out_char(int c);
void out_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void out_flush(void);
void out_to(int fd); /* from now on, write there instead */
/* write_all writes everything or returns false; FD_NULL swallows it. */
enum { FD_NULL = -2 };
bool write_all(int fd, const void *s, size_t n);

/* ---- numbers and names ---- */
long long parse_int(const char *s, const char *what);       /* exits on nonsense */
long long parse_size(const char *s, const char *what);      /* 10, 2K, 3M, 1kB … */
const char *human_size(unsigned long long n, char buf[32]); /* 1.5K */
char *path_join(const char *dir, const char *name);
const char *path_base(const char *path);                    /* last part, no copy */
int unescape_char(const char **s); /* after a backslash: \n \t \0ooo \xhh …; -1 for \c */

/* ---- running other commands ----
 * run_command runs argv with this tool's standard streams and waits; it
 * returns the exit status, 127 when there is no such command. capture_command
 * gives it input (NULL: this tool's own) and keeps what it prints (NULL: this
 * tool's own output). */
int run_command(char **argv);
void pass_environment(void); /* run commands with what environ holds now */
int capture_command(char **argv, const Text *input, Text *output);

/* The table of tools. */
typedef struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage;
} Applet;
extern const Applet applets[];
extern const Applet *find_applet(const char *name);

#endif
