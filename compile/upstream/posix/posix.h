/* posix.h - what programs ask of a Unix that the sandbox is not. It stands
 * before every file that is compiled; shim.c and command.c define the rest. */
#ifndef WB_POSIX_H
#define WB_POSIX_H

/* Functions of the C library that shim.c stands before. Struct stat is renamed
 * with its function, everywhere alike. */
int fcntl(int fd, int command, ...); /* for sources that undo the next lines */
#define stat wb_stat
#define lstat wb_lstat
#define fstat wb_fstat
#define fstatat wb_fstatat
#define open wb_open
#define openat wb_openat
#define fopen wb_fopen
#define opendir wb_opendir
#define fcntl wb_fcntl
#define chmod wb_chmod
#define fchmod wb_fchmod
#define fchmodat wb_fchmodat
#define utimensat wb_utimensat
#define futimens wb_futimens

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define F_DUPFD 100
#define F_DUPFD_CLOEXEC 101

/* WASI takes one access mode; directories are read. */
#undef O_SEARCH
#define O_SEARCH O_RDONLY

/* Users: there is one, root. */
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int setuid(uid_t id);
int setgid(gid_t id);
int seteuid(uid_t id);
int setegid(gid_t id);
int getgroups(int room, gid_t *list);
char *getlogin(void);
char *ttyname(int fd);
int chown(const char *path, uid_t user, gid_t group);
int lchown(const char *path, uid_t user, gid_t group);
int fchown(int fd, uid_t user, gid_t group);
int fchownat(int dir, const char *path, uid_t user, gid_t group, int flags);
mode_t umask(mode_t mode);
int chmod(const char *path, mode_t mode);
int fchmod(int fd, mode_t mode);
int fchmodat(int dir, const char *path, mode_t mode, int flags);
int mkfifo(const char *path, mode_t mode);
int mknod(const char *path, mode_t mode, dev_t dev);
int mknodat(int dir, const char *path, mode_t mode, dev_t dev);
int mkfifoat(int dir, const char *path, mode_t mode);
int lchmod(const char *path, mode_t mode);
char *canonicalize_file_name(const char *name);
int fchdir(int fd);
void sync(void);
void tzset(void);
extern char *tzname[2];
extern long timezone;

/* Processes: a command runs to its end; see command.c. */
FILE *popen(const char *command, const char *mode);
int pclose(FILE *file);
int system(const char *command);
pid_t fork(void);
pid_t vfork(void);
pid_t wb_spawn(char *const argv[], int empty_input);
int wb_missing(pid_t child);
pid_t wb_defer(const char *command);
int execvp(const char *file, char *const argv[]);
int execv(const char *file, char *const argv[]);
int execlp(const char *file, const char *word, ...);
int execl(const char *file, const char *word, ...);
int dup(int fd);
int dup2(int from, int to);
int pipe(int ends[2]);
pid_t getppid(void);
pid_t getpgrp(void);
pid_t setsid(void);
int kill(pid_t pid, int signal);
unsigned alarm(unsigned seconds);
int nice(int more);
#define PRIO_PROCESS 0
int getpriority(int which, int who);
int setpriority(int which, int who, int to);
#define RLIMIT_DATA 2
#define RLIMIT_RSS 5
#define RLIMIT_NOFILE 7
#define RLIMIT_AS 9
#define RLIM_INFINITY (~0ull)
typedef unsigned long long rlim_t;
struct rlimit { rlim_t rlim_cur, rlim_max; };
int getrlimit(int what, struct rlimit *to);
int setrlimit(int what, const struct rlimit *to);
int getgrouplist(const char *user, gid_t group, gid_t *list, int *n);
int euidaccess(const char *path, int mode);
char *strsignal(int signal);
int mkstemp(char *name);
int mkostemp(char *name, int flags);
FILE *tmpfile(void);
char *tmpnam(char *name);
char *mktemp(char *name);

/* Signals are never sent from outside. */
#ifndef SIG_BLOCK
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SA_NOCLDSTOP 1
#define SA_RESTART 0x10000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000
#define SA_SIGINFO 4
typedef struct { int si_signo, si_code; void *si_addr; } siginfo_t;
struct sigaction {
	union { void (*sa_handler)(int); void (*sa_sigaction)(int, siginfo_t *, void *); };
	sigset_t sa_mask;
	int sa_flags;
};
#define sigemptyset(set) (memset((set), 0, sizeof(sigset_t)), 0)
#define sigfillset(set) (memset((set), 255, sizeof(sigset_t)), 0)
#define sigaddset(set, signal) ((void) (set), (void) (signal), 0)
#define sigdelset(set, signal) ((void) (set), (void) (signal), 0)
#define sigismember(set, signal) ((void) (set), (void) (signal), 0)
int sigaction(int signal, const struct sigaction *to, struct sigaction *old);
int sigprocmask(int how, const sigset_t *to, sigset_t *old);
int pthread_sigmask(int how, const sigset_t *to, sigset_t *old);
int siginterrupt(int signal, int flag);
#endif

#endif
