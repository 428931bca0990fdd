/* tools.h - helpers that more than one family of tools uses. */
#ifndef TOOLS_H
#define TOOLS_H

#include "box.h"

#include <regex.h>
#include <sys/stat.h>

/* each_input calls fn for every operand from argv[first], or for standard
 * input when there is none, and returns the worst status. */
int each_input(int argc, char **argv, int first, int (*fn)(Reader *r, void *state), void *state);

/* open_output opens a file for writing; /dev/stdout, /dev/stderr and /dev/null
 * work everywhere (FD_NULL for the last). -1: see errno. */
int open_output(const char *path, int flags);

/* Lists of positions as in cut -f 1,3-5,7-. */
typedef struct {
	size_t lo, hi;
} Range;
typedef struct {
	Range *r;
	size_t n, cap;
} Ranges;
Ranges parse_ranges(const char *list, const char *what);
bool in_ranges(const Ranges *rs, size_t i);

/* compiled is a basic regular expression; a wrong one ends the tool. */
regex_t compiled(const char *pattern, int status);

/* A directory's entries in byte order, without . and .. ; -1: see errno. */
typedef struct {
	char **name;
	size_t n, cap;
} Names;
int read_dir(const char *path, Names *names);

/* shown_mode gives the permissions a listing shows. WASI has none, so files
 * count as 644 and directories as 755. */
mode_t shown_mode(mode_t mode);

/* mode_string writes "drwxr-xr-x". */
void mode_string(mode_t mode, char s[11]);

/* Modes and times, which the host keeps: see attributes.c. file_mode is -1 for
 * a file that is not there. */
struct timespec;
int file_mode(const char *path);
bool set_file_mode(const char *path, int mode);
bool set_file_time(const char *path, const struct timespec *t);

#endif
