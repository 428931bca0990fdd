/* unistd.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_UNISTD_H
#define WB_UNISTD_H
#include_next <unistd.h>
#include <sys/types.h>
int pipe (int *); int pipe2 (int *, int);
int dup (int); int dup2 (int, int); int dup3 (int, int, int);
unsigned alarm (unsigned);
pid_t fork (void); pid_t vfork (void);
int execve (const char *, char *const [], char *const []);
int execvp (const char *, char *const []);
int execlp (const char *, const char *, ...);
uid_t getuid (void); uid_t geteuid (void);
gid_t getgid (void); gid_t getegid (void);
int getgroups (int, gid_t *);
pid_t getpid (void); pid_t getppid (void); pid_t getpgrp (void);
pid_t getpgid (pid_t); int setpgid (pid_t, pid_t); pid_t setsid (void);
pid_t tcgetpgrp (int); int tcsetpgrp (int, pid_t);
char *ttyname (int);
int chown (const char *, uid_t, gid_t); int fchown (int, uid_t, gid_t);
int gethostname (char *, size_t);
int fchdir (int);
ssize_t copy_file_range (int, off_t *, int, off_t *, size_t, unsigned);
void sync (void);
int eaccess (const char *, int); int euidaccess (const char *, int);
char *getlogin (void);
int nice (int);
#endif
