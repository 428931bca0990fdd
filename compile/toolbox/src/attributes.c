/* attributes.c - chmod, and the modes and times that WASI does not have: the
 * host keeps them for the time of a run. */
#include "box.h"
#include "tools.h"

#include <limits.h>
#include <sys/stat.h>
#include <time.h>

#ifdef __wasm__

#define IMPORT(name) __attribute__((import_module("wb"), import_name(name)))
IMPORT("tool_mode") extern int tool_mode(const char *path, size_t n);
IMPORT("tool_chmod") extern int tool_chmod(const char *path, size_t n, int mode);
IMPORT("tool_utime") extern int tool_utime(const char *path, size_t n, unsigned low, unsigned high, unsigned nanoseconds);

static char *absolute(const char *path)
{
	static char dir[PATH_MAX];
	return *path == '/' || !getcwd(dir, sizeof dir) ? xstrdup(path) : path_join(dir, path);
}

int file_mode(const char *path)
{
	char *full = absolute(path);
	int mode = tool_mode(full, strlen(full));
	free(full);
	return mode;
}

bool set_file_mode(const char *path, int mode)
{
	char *full = absolute(path);
	int failed = tool_chmod(full, strlen(full), mode);
	free(full);
	if (failed)
		errno = ENOENT;
	return !failed;
}

bool set_file_time(const char *path, const struct timespec *t)
{
	char *full = absolute(path);
	uint64_t seconds = (uint64_t)t->tv_sec;
	int failed = tool_utime(full, strlen(full), (unsigned)seconds, (unsigned)(seconds >> 32), (unsigned)t->tv_nsec);
	free(full);
	return !failed;
}

#else

int file_mode(const char *path)
{
	struct stat st;
	return stat(path, &st) < 0 ? -1 : (int)(st.st_mode & 0777);
}

bool set_file_mode(const char *path, int mode) { return chmod(path, (mode_t)mode) == 0; }

bool set_file_time(const char *path, const struct timespec *t)
{
	struct timespec both[2] = {*t, *t};
	return utimensat(-100, path, both, 0) == 0;
}

#endif

/* change_mode applies 755, +x or u=rw,go-w to a mode; -1 when it is nonsense. */
static int change_mode(const char *text, int mode, bool is_dir)
{
	char *end;
	long octal = strtol(text, &end, 8);
	if (*text && !*end)
		return octal < 0 || octal > 07777 ? -1 : (int)octal & 0777;
	for (const char *s = text;; s++) {
		int who = 0;
		for (; *s && strchr("ugoa", *s); s++)
			who |= *s == 'u' ? 0700 : *s == 'g' ? 0070 : *s == 'o' ? 0007 : 0777;
		if (!who)
			who = 0777;
		if (!*s || !strchr("+-=", *s))
			return -1;
		while (*s && strchr("+-=", *s)) {
			char op = *s++;
			int bits = 0;
			for (; *s && !strchr("+-=,", *s); s++)
				switch (*s) {
				case 'r': bits |= 0444; break;
				case 'w': bits |= 0222; break;
				case 'x': bits |= 0111; break;
				case 'X': bits |= is_dir || mode & 0111 ? 0111 : 0; break;
				case 'u': bits |= (mode >> 6 & 7) * 0111; break;
				case 'g': bits |= (mode >> 3 & 7) * 0111; break;
				case 'o': bits |= (mode & 7) * 0111; break;
				case 's':
				case 't': break;
				default: return -1;
				}
			bits &= who;
			mode = op == '+' ? mode | bits : op == '-' ? mode & ~bits : (mode & ~who) | bits;
		}
		if (!*s)
			return mode;
		if (*s != ',')
			return -1;
	}
}

int chmod_main(int argc, char **argv)
{
	int i = 1, status = 0;
	/* -x is a mode, -R an option. */
	for (; i < argc && argv[i][0] == '-' && argv[i][1] && !strpbrk(argv[i], "rwxXst"); i++)
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		} else if (strspn(argv[i] + 1, "cfv") != strlen(argv[i] + 1))
			die(1, "%s: not available here", argv[i]);
	require_args(argc, i, 2, -1);
	const char *text = argv[i++];
	for (; i < argc; i++) {
		struct stat st;
		int mode = file_mode(argv[i]);
		if (mode < 0 || stat(argv[i], &st) < 0) {
			warn("cannot access '%s': No such file or directory", argv[i]);
			status = 1;
			continue;
		}
		if ((mode = change_mode(text, mode, S_ISDIR(st.st_mode))) < 0)
			die(1, "invalid mode: '%s'", text);
		if (!set_file_mode(argv[i], mode)) {
			warn("changing permissions of '%s': %s", argv[i], strerror(errno));
			status = 1;
		}
	}
	return status;
}
