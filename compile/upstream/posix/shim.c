/* shim.c - a small Unix for programs in the sandbox: one user, and the modes and
 * times of files, which WASI does not have and the host keeps. */
#include "posix.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/vfs.h>
#include <wasi/api.h>

#define IMPORT(name) __attribute__((import_module("wb"), import_name(name)))
/* See compile/shell/calls.go. */
IMPORT("tool_mode") extern int tool_mode(const char *path, size_t n);
IMPORT("tool_chmod") extern int tool_chmod(const char *path, size_t n, int mode);
IMPORT("tool_dup") extern int tool_dup(int fd, int least);
IMPORT("tool_utime")
extern int tool_utime(const char *path, size_t n, unsigned low, unsigned high, unsigned nanoseconds);

/* ---- where an open file is ----
 * The host knows files by path; these are the paths of open ones. */
enum { MAX_OPEN = 256 };
static char *paths[MAX_OPEN];
static const char *directory(void)
{
	static char dir[PATH_MAX];
	return getcwd(dir, sizeof dir) ? dir : "/";
}

/* full is the absolute path of a name below an open directory. */
static char *full(int dir, const char *name)
{
	const char *base = *name == '/' ? "" : dir == AT_FDCWD ? directory() : dir >= 0 && dir < MAX_OPEN ? paths[dir] : NULL;
	if (!base)
		return NULL;
	char *path = malloc(strlen(base) + strlen(name) + 2);
	if (path) {
		char *to = stpcpy(path, base);
		if (*name != '/')
			*to++ = '/';
		strcpy(to, name);
	}
	return path;
}

static int opened(int fd, int dir, const char *name)
{
	if (fd >= 0 && fd < MAX_OPEN) {
		free(paths[fd]);
		paths[fd] = full(dir, name);
	}
	return fd;
}

/* standard is the descriptor that /dev/stdin and the like stand for, or -1. */
static int standard(const char *name)
{
	if (strncmp(name, "/dev/", 5))
		return -1;
	name += 5;
	if (!strncmp(name, "fd/", 3) && name[3] >= '0' && name[3] <= '2' && !name[4])
		return name[3] - '0';
	return !strcmp(name, "stdin") ? 0 : !strcmp(name, "stdout") ? 1 : !strcmp(name, "stderr") ? 2 : -1;
}

/* ---- opening ---- */
int real_open(const char *name, int flags, ...) __asm__("open");
int real_openat(int dir, const char *name, int flags, ...) __asm__("openat");
FILE *real_fopen(const char *name, const char *mode) __asm__("fopen");
DIR *real_opendir(const char *name) __asm__("opendir");
int real_fcntl(int fd, int command, ...) __asm__("fcntl");

/* A tree has no /dev/null; an empty file without a name is like it. */
static int nothing(void)
{
	int fd = real_open("/tmp/.null", O_RDWR | O_CREAT | O_TRUNC, 0600);
	unlink("/tmp/.null");
	return fd;
}

int wb_open(const char *name, int flags, ...)
{
	if (!strcmp(name, "/dev/null"))
		return nothing();
	int fd = standard(name);
	return fd >= 0 ? fd : opened(real_open(name, flags, 0666), AT_FDCWD, name);
}

int wb_openat(int dir, const char *name, int flags, ...)
{
	if (!strcmp(name, "/dev/null"))
		return nothing();
	int fd = standard(name);
	return fd >= 0 ? fd : opened(real_openat(dir, name, flags, 0666), dir, name);
}

FILE *wb_fopen(const char *name, const char *mode)
{
	int fd = strcmp(name, "/dev/null") ? standard(name) : nothing();
	if (fd >= 0)
		return fdopen(fd, mode);
	FILE *f = real_fopen(name, mode);
	if (f)
		opened(fileno(f), AT_FDCWD, name);
	return f;
}

DIR *wb_opendir(const char *name)
{
	DIR *dir = real_opendir(name);
	if (dir)
		opened(dirfd(dir), AT_FDCWD, name);
	return dir;
}

/* duplicate gives an open file a second number, no lower than least. */
static int duplicate(int fd, int least)
{
	int copy = tool_dup(fd, least);
	if (copy < 0) {
		errno = -copy;
		return -1;
	}
	return fd >= 0 && fd < MAX_OPEN && paths[fd] ? opened(copy, AT_FDCWD, paths[fd]) : copy;
}

int dup(int fd) { return duplicate(fd, 0); }

int dup2(int from, int to)
{
	if (from == to)
		return to;
	close(to);
	return duplicate(from, to);
}

int wb_fcntl(int fd, int command, ...)
{
	va_list more;
	va_start(more, command);
	int word = va_arg(more, int);
	va_end(more);
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicate(fd, word) : real_fcntl(fd, command, word);
}

/* ---- modes and times ---- */
int real_stat(const char *name, struct stat *st) __asm__("stat");
int real_lstat(const char *name, struct stat *st) __asm__("lstat");
int real_fstat(int fd, struct stat *st) __asm__("fstat");
int real_fstatat(int dir, const char *name, struct stat *st, int flags) __asm__("fstatat");

static void describe(struct stat *st, const char *path)
{
	int mode = path ? tool_mode(path, strlen(path)) : -1;
	if (mode < 0)
		mode = S_ISDIR(st->st_mode) ? 0755 : S_ISREG(st->st_mode) ? 0644 : 0666;
	st->st_mode = (st->st_mode & S_IFMT) | (mode & 07777);
	st->st_blksize = 4096;
	st->st_blocks = (st->st_size + 511) / 512;
	st->st_dev = 1;
}

static int described(int result, struct stat *st, char *path)
{
	if (result == 0)
		describe(st, path);
	free(path);
	return result;
}

int wb_fstat(int fd, struct stat *st)
{
	int result = real_fstat(fd, st);
	if (result == 0)
		describe(st, fd >= 0 && fd < MAX_OPEN ? paths[fd] : NULL);
	return result;
}

int wb_fstatat(int dir, const char *name, struct stat *st, int flags)
{
	int fd = standard(name);
	return fd >= 0 ? wb_fstat(fd, st) : described(real_fstatat(dir, name, st, flags), st, full(dir, name));
}

int wb_stat(const char *name, struct stat *st) { return wb_fstatat(AT_FDCWD, name, st, 0); }
int wb_lstat(const char *name, struct stat *st) { return wb_fstatat(AT_FDCWD, name, st, AT_SYMLINK_NOFOLLOW); }

static int change_mode(char *path, mode_t mode)
{
	int failed = path ? tool_chmod(path, strlen(path), (int) mode) : 1;
	free(path);
	if (failed)
		errno = ENOENT;
	return failed ? -1 : 0;
}

int wb_chmod(const char *name, mode_t mode) { return change_mode(full(AT_FDCWD, name), mode); }
int wb_fchmodat(int dir, const char *name, mode_t mode, int flags) { return change_mode(full(dir, name), mode); }
int wb_fchmod(int fd, mode_t mode)
{
	if (fd >= 0 && fd < MAX_OPEN && paths[fd])
		change_mode(strdup(paths[fd]), mode);
	return 0;
}

int lchmod(const char *name, mode_t mode) { return change_mode(full(AT_FDCWD, name), mode); }

static int change_time(char *path, const struct timespec times[2])
{
	struct timespec now;
	const struct timespec *t = times ? &times[1] : NULL;
	if (!t || t->tv_nsec == UTIME_NOW) {
		clock_gettime(CLOCK_REALTIME, &now);
		t = &now;
	}
	int failed = 0;
	if (t->tv_nsec != UTIME_OMIT)
		failed = !path || tool_utime(path, strlen(path), (unsigned) t->tv_sec, (unsigned) ((uint64_t) t->tv_sec >> 32), (unsigned) t->tv_nsec);
	free(path);
	if (failed)
		errno = ENOENT;
	return failed ? -1 : 0;
}

int real_utimensat(int dir, const char *name, const struct timespec times[2], int flags) __asm__("utimensat");
int real_futimens(int fd, const struct timespec times[2]) __asm__("futimens");

int wb_utimensat(int dir, const char *name, const struct timespec times[2], int flags)
{
	if (!name)
		return wb_futimens(dir, times);
	real_utimensat(dir, name, times, flags);
	return change_time(full(dir, name), times);
}

int wb_futimens(int fd, const struct timespec times[2])
{
	real_futimens(fd, times);
	return fd >= 0 && fd < MAX_OPEN && paths[fd] ? change_time(strdup(paths[fd]), times) : 0;
}

/* ---- users ---- */
uid_t getuid(void) { return 0; }
uid_t geteuid(void) { return 0; }
gid_t getgid(void) { return 0; }
gid_t getegid(void) { return 0; }
int setuid(uid_t id) { return 0; }
int setgid(gid_t id) { return 0; }
int seteuid(uid_t id) { return 0; }
int setegid(gid_t id) { return 0; }
char *getlogin(void) { return "root"; }
char *ttyname(int fd) { errno = ENOTTY; return NULL; }
mode_t umask(mode_t mode) { return 022; }
int chown(const char *path, uid_t user, gid_t group) { return access(path, F_OK); }
int lchown(const char *path, uid_t user, gid_t group) { return access(path, F_OK); }
int fchown(int fd, uid_t user, gid_t group) { return 0; }
int fchownat(int dir, const char *path, uid_t user, gid_t group, int flags) { return 0; }
int getgroups(int room, gid_t *list)
{
	if (room > 0)
		list[0] = 0;
	return 1;
}

int getgrouplist(const char *user, gid_t group, gid_t *list, int *n)
{
	int room = *n;
	*n = 1;
	if (room < 1)
		return -1;
	list[0] = group;
	return 1;
}
int euidaccess(const char *path, int mode) { return access(path, mode); }

static struct passwd user = {"root", "x", 0, 0, "root", "/", "/bin/sh"};
static char *nobody[] = {NULL};
static struct group group = {"root", "x", 0, nobody};
struct passwd *getpwuid(uid_t id) { return id == 0 ? &user : NULL; }
struct passwd *getpwnam(const char *name) { return strcmp(name, "root") ? NULL : &user; }
struct group *getgrgid(gid_t id) { return id == 0 ? &group : NULL; }
struct group *getgrnam(const char *name) { return strcmp(name, "root") ? NULL : &group; }
static int users, groups;
struct passwd *getpwent(void) { return users++ ? NULL : &user; }
struct group *getgrent(void) { return groups++ ? NULL : &group; }
void setpwent(void) { users = 0; }
void endpwent(void) {}
void setgrent(void) { groups = 0; }
void endgrent(void) {}

char *canonicalize_file_name(const char *name) { return realpath(name, NULL); }

/* ---- what there is none of ---- */
int mkfifo(const char *path, mode_t mode) { errno = EPERM; return -1; }
int mknod(const char *path, mode_t mode, dev_t dev) { errno = EPERM; return -1; }
int mknodat(int dir, const char *path, mode_t mode, dev_t dev) { errno = EPERM; return -1; }
int mkfifoat(int dir, const char *path, mode_t mode) { errno = EPERM; return -1; }
void sync(void) {}
/* Local time is UTC. */
char *tzname[2] = {"UTC", "UTC"};
long timezone;
void tzset(void) {}
int statfs(const char *path, struct statfs *to)
{
	memset(to, 0, sizeof *to);
	to->f_bsize = to->f_frsize = 4096;
	to->f_namelen = 255;
	return access(path, F_OK);
}
int fchdir(int fd)
{
	if (fd >= 0 && fd < MAX_OPEN && paths[fd])
		return chdir(paths[fd]);
	errno = EBADF;
	return -1;
}

/* A program of WASI starts in the root of its tree, and nobody has told the C
 * library its name. PWD says where it is meant to be. */
extern char *program_invocation_name, *program_invocation_short_name;
__attribute__((constructor)) static void enter_directory(void)
{
	__wasi_size_t n, size;
	if (__wasi_args_sizes_get(&n, &size) == 0 && n > 0) {
		uint8_t **words = malloc((n + 1) * sizeof *words), *text = malloc(size);
		if (words && text && __wasi_args_get(words, text) == 0) {
			char *slash = strrchr((char *) words[0], '/');
			program_invocation_name = (char *) words[0];
			program_invocation_short_name = slash ? slash + 1 : program_invocation_name;
		}
	}
	const char *dir = getenv("PWD");
	if (dir && *dir == '/')
		chdir(dir);
}
