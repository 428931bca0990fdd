/* gnulib.h - what the headers that gnulib generates would add to the C
 * library's. They are left out: the C library is modern enough. */
#ifndef WB_GNULIB_H
#define WB_GNULIB_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* C23 lets the text be left out. */
#include <assert.h>
#undef static_assert
#define wb_assert(condition, text, ...) _Static_assert(condition, text)
#define static_assert(...) wb_assert(__VA_ARGS__, "", )

#ifndef O_BINARY
#define O_BINARY 0
#define O_TEXT 0
#endif
#ifndef O_NOCTTY
#define O_NOCTTY 0
#endif
#ifndef O_NDELAY
#define O_NDELAY O_NONBLOCK
#endif
#ifndef O_NOLINKS
#define O_NOLINKS 0
#endif
#ifndef O_NOATIME
#define O_NOATIME 0
#endif
#ifndef O_DIRECT
#define O_DIRECT 0
#endif
#ifndef O_PATH
#define O_PATH 0
#endif

#define FNM_EXTMATCH 0
/* The C library has a function of that name and other parameters. */
#define opendirat gl_opendirat

typedef struct tm_zone *timezone_t;
timezone_t tzalloc(const char *name);
void tzfree(timezone_t zone);
struct tm *localtime_rz(timezone_t zone, const time_t *t, struct tm *to);
time_t mktime_z(timezone_t zone, struct tm *from);

ssize_t copy_file_range(int from, off_t *at, int to, off_t *there, size_t n, unsigned flags);
char *mbsstr(const char *haystack, const char *needle);
char *mbschr(const char *s, int c);
size_t mbslen(const char *s);
int mbscasecmp(const char *a, const char *b);
size_t strnlen1(const char *s, size_t most);

#ifndef INT_WIDTH
#define INT_WIDTH 32
#define UINT_WIDTH 32
#define LONG_WIDTH 32
#define ULONG_WIDTH 32
#define LLONG_WIDTH 64
#define ULLONG_WIDTH 64
#define SIZE_WIDTH 32
#endif

#define S_IXUGO (S_IXUSR | S_IXGRP | S_IXOTH)
#define S_IRWXUGO (S_IRWXU | S_IRWXG | S_IRWXO)

#define _GL_LIKELY(condition) __builtin_expect ((condition), 1)
#define _GL_UNLIKELY(condition) __builtin_expect ((condition), 0)

/* Kinds of files that no tree has. */
#define S_ISDOOR(mode) 0
#define S_ISMPB(mode) 0
#define S_ISMPC(mode) 0
#define S_ISMPX(mode) 0
#define S_ISNAM(mode) 0
#define S_ISNWK(mode) 0
#define S_ISCTG(mode) 0
#define S_ISOFD(mode) 0
#define S_ISOFL(mode) 0
#define S_ISPORT(mode) 0
#define S_ISWHT(mode) 0
#define S_TYPEISSHM(st) 0
#define S_TYPEISSEM(st) 0
#define S_TYPEISMQ(st) 0
#define S_TYPEISTMO(st) 0

#define rawmemchr wb_rawmemchr
static inline void *wb_rawmemchr(const void *s, int c)
{
	const unsigned char *at = s;
	while (*at != (unsigned char) c)
		at++;
	return (void *) at;
}

#define SETLOCALE_NULL_ALL_MAX 80
#define SETLOCALE_NULL_MAX 80

#define GRND_NONBLOCK 1
#define GRND_RANDOM 2
int getentropy(void *, size_t);
static inline ssize_t getrandom(void *buffer, size_t n, unsigned flags)
{
	return getentropy(buffer, n) < 0 ? -1 : (ssize_t) n;
}

#endif
