/* shim.c: functions of POSIX that WASI lacks. There are no processes, no
   users and no terminals, and calls that need one fail as they do where the
   system forbids it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdbool.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int
refuse (int code)
{
  errno = code;
  return -1;
}

/* Signals: nobody sends any.  */
static struct sigaction actions[65];
int
sigaction (int s, const struct sigaction *new, struct sigaction *old)
{
  if (s < 1 || s > 64)
    return refuse (EINVAL);
  if (old)
    *old = actions[s];
  if (new)
    actions[s] = *new;
  return 0;
}
int sigprocmask (int how, const sigset_t *new, sigset_t *old) { if (old) *old = 0; return 0; }
int pthread_sigmask (int how, const sigset_t *new, sigset_t *old) { return sigprocmask (how, new, old); }
int sigemptyset (sigset_t *s) { *s = 0; return 0; }
int sigfillset (sigset_t *s) { *s = 0; return 0; }
int sigaddset (sigset_t *s, int n) { return 0; }
int sigdelset (sigset_t *s, int n) { return 0; }
int sigismember (const sigset_t *s, int n) { return 0; }
int sigsuspend (const sigset_t *s) { return refuse (ENOSYS); }
int sigpending (sigset_t *s) { *s = 0; return 0; }
unsigned alarm (unsigned seconds) { return 0; }

/* Processes.  */
int kill (pid_t p, int s) { return refuse (ESRCH); }
int killpg (pid_t p, int s) { return refuse (ESRCH); }
int pipe (int *p) { return refuse (ENOSYS); }
int pipe2 (int *p, int flags) { return refuse (ENOSYS); }
int dup (int f) { return refuse (ENOSYS); }
int dup2 (int a, int b) { return a == b ? a : refuse (ENOSYS); }
int dup3 (int a, int b, int flags) { return refuse (ENOSYS); }
pid_t fork (void) { return refuse (ENOSYS); }
pid_t vfork (void) { return refuse (ENOSYS); }
int execve (const char *f, char *const a[], char *const e[]) { return refuse (ENOSYS); }
int execvp (const char *f, char *const a[]) { return refuse (ENOSYS); }
int execlp (const char *f, const char *a, ...) { return refuse (ENOSYS); }
int system (const char *command) { return refuse (ENOSYS); }
FILE *popen (const char *command, const char *mode) { errno = ENOSYS; return NULL; }
int pclose (FILE *f) { return -1; }
pid_t wait (int *status) { return refuse (ECHILD); }
pid_t waitpid (pid_t p, int *status, int options) { return refuse (ECHILD); }
pid_t getppid (void) { return 1; }
pid_t getpgrp (void) { return 42; }
pid_t getpgid (pid_t p) { return 42; }
int setpgid (pid_t a, pid_t b) { return 0; }
pid_t setsid (void) { return 42; }
int nice (int n) { return 0; }
int getpriority (int which, int who) { return 0; }
int setpriority (int which, int who, int value) { return 0; }
int
getrlimit (int which, struct rlimit *l)
{
  l->rlim_cur = l->rlim_max = which == RLIMIT_NOFILE ? 1024 : RLIM_INFINITY;
  return 0;
}
int setrlimit (int which, const struct rlimit *l) { return 0; }

/* Users.  */
static struct passwd user = { "user", "x", 1000, 1000, "User", "/", "/bin/sh" };
static char *nobody[1];
static struct group users = { "user", "x", 1000, nobody };
uid_t getuid (void) { return 1000; }
uid_t geteuid (void) { return 1000; }
gid_t getgid (void) { return 1000; }
gid_t getegid (void) { return 1000; }
int getgroups (int n, gid_t *groups) { return 0; }
char *getlogin (void) { return user.pw_name; }
struct passwd *getpwnam (const char *name) { return strcmp (name, "user") ? NULL : &user; }
struct passwd *getpwuid (uid_t u) { return &user; }
struct passwd *getpwent (void) { return NULL; }
void setpwent (void) { }
void endpwent (void) { }
struct group *getgrgid (gid_t g) { return &users; }
struct group *getgrnam (const char *name) { return NULL; }
struct group *getgrent (void) { return NULL; }
void setgrent (void) { }
void endgrent (void) { }
int
gethostname (char *b, size_t n)
{
  if (n < sizeof "localhost")
    return refuse (ENAMETOOLONG);
  strcpy (b, "localhost");
  return 0;
}

/* Terminals.  */
pid_t tcgetpgrp (int f) { return refuse (ENOTTY); }
int tcsetpgrp (int f, pid_t p) { return refuse (ENOTTY); }
char *ttyname (int f) { errno = ENOTTY; return NULL; }
int tcgetattr (int f, struct termios *t) { return refuse (ENOTTY); }
int tcsetattr (int f, int when, const struct termios *t) { return refuse (ENOTTY); }
int tcflush (int f, int queue) { return refuse (ENOTTY); }
int tcdrain (int f) { return refuse (ENOTTY); }
int tcflow (int f, int action) { return refuse (ENOTTY); }
int tcsendbreak (int f, int duration) { return refuse (ENOTTY); }
speed_t cfgetospeed (const struct termios *t) { return 0; }
speed_t cfgetispeed (const struct termios *t) { return 0; }
int cfsetospeed (struct termios *t, speed_t s) { return 0; }
int cfsetispeed (struct termios *t, speed_t s) { return 0; }
int cfsetspeed (struct termios *t, speed_t s) { return 0; }
int tgetent (char *b, const char *name) { return -1; }
int tgetnum (char *name) { return -1; }
int tgetflag (char *name) { return 0; }
int tigetflag (const char *name) { return 0; }
char *tgetstr (char *name, char **area) { return NULL; }
char *tigetstr (const char *name) { return NULL; }
char *tgoto (const char *s, int a, int b) { return ""; }
void tputs (const char *s, int lines, int (*put) (int)) { }
char *tparm (const char *s, ...) { return ""; }

/* Files.  */
int chown (const char *name, uid_t u, gid_t g) { return 0; }
int fchown (int f, uid_t u, gid_t g) { return 0; }
int lchmod (const char *name, mode_t mode) { return 0; }
mode_t umask (mode_t mode) { return 022; }
int fchdir (int f) { return refuse (ENOSYS); }
void sync (void) { }
int eaccess (const char *name, int mode) { return access (name, mode); }
int euidaccess (const char *name, int mode) { return access (name, mode); }
int get_fs_usage (const char *file, const char *disk, void *usage) { return refuse (ENOSYS); }

/* Make a file or directory of a fresh name, which replaces the six X before a
   suffix.  */
static int
temporary (char *name, int suffix, int flags, bool directory)
{
  static unsigned count;
  size_t length = strlen (name);
  if (length < 6 + (size_t) suffix)
    return refuse (EINVAL);
  char *x = name + length - 6 - suffix;
  for (int attempt = 0; attempt < 1000; attempt++)
    {
      unsigned random;
      getentropy (&random, sizeof random);
      random += count++;
      for (int i = 0; i < 6; i++, random >>= 5)
	x[i] = "abcdefghijklmnopqrstuvwxyz012345"[random & 31];
      int f = directory ? mkdir (name, 0700)
	: open (name, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
      if (f >= 0 || errno != EEXIST)
	return f;
    }
  return -1;
}
int mkstemp (char *name) { return temporary (name, 0, 0, false); }
int mkostemp (char *name, int flags) { return temporary (name, 0, flags & ~O_ACCMODE, false); }
int mkostemps (char *name, int suffix, int flags) { return temporary (name, suffix, flags & ~O_ACCMODE, false); }
char *mkdtemp (char *name) { return temporary (name, 0, 0, true) < 0 ? NULL : name; }

/* WASI has no permissions: what there is may be read and written.  */
int
__wrap_faccessat (int dir, const char *name, int mode, int flags)
{
  struct stat st;
  return fstatat (dir, name, &st, 0);
}
static int
permit (int result, struct stat *st)
{
  if (result == 0)
    st->st_mode = (st->st_mode & S_IFMT) | (S_ISDIR (st->st_mode) ? 0755 : 0644);
  return result;
}
int __real_fstatat (int, const char *, struct stat *, int);
int __wrap_fstatat (int d, const char *n, struct stat *s, int f) { return permit (__real_fstatat (d, n, s, f), s); }
int __real_stat (const char *, struct stat *);
int __wrap_stat (const char *n, struct stat *s) { return permit (__real_stat (n, s), s); }
int __real_lstat (const char *, struct stat *);
int __wrap_lstat (const char *n, struct stat *s) { return permit (__real_lstat (n, s), s); }
int __real_fstat (int, struct stat *);
int __wrap_fstat (int f, struct stat *s) { return permit (__real_fstat (f, s), s); }

/* Callers copy by reading and writing where this cannot.  */
ssize_t copy_file_range (int in, off_t *from, int out, off_t *to, size_t n, unsigned flags) { return refuse (ENOSYS); }

/* Other things.  */
ssize_t
getrandom (void *buffer, size_t n, unsigned flags)
{
  if (n > 256)
    n = 256;
  return getentropy (buffer, n) < 0 ? -1 : (ssize_t) n;
}
void flockfile (FILE *f) { }
void funlockfile (FILE *f) { }
void tzset (void) { }
int getloadavg (double loads[], int n) { return refuse (ENOSYS); }

/* Functions of Emacs's that its process.c has where there are processes. A
   Lisp object is 64 bits.  */
typedef long long lisp_object;
lisp_object Fprocess_status (lisp_object process) { return 0; }
void dissociate_controlling_tty (void) { }
void record_deleted_pid (pid_t pid, lisp_object file) { }
