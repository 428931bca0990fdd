/* wb.h - what gawk asks of a Unix that the sandbox is not. There are no
 * processes: popen and system ask the host to run a command as an instance of
 * its own; see shim.c. */
#ifndef WB_GAWK_H
#define WB_GAWK_H

#include <stdio.h>
#include <sys/types.h>

FILE *wb_popen(const char *command, const char *mode);
int wb_pclose(FILE *f);
int wb_system(const char *command);
#define popen wb_popen
#define pclose wb_pclose
#define system wb_system

#define getuid() 0
#define geteuid() 0
#define getgid() 0
#define getegid() 0
#define getppid() 0
#define getpgrp(...) 0
#define umask(mask) (mask)
#define dup2(a, b) (errno = ENOTSUP, -1)
#define dup(a) (errno = ENOTSUP, -1)
#define kill(pid, signal) (exit(141), 0)
#define tzset() ((void) 0)
#define fork() (errno = ENOTSUP, -1)

#endif
