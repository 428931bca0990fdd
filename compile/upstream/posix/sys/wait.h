/* sys/wait.h - statuses of commands, as command.c gives them. */
#ifndef WB_WAIT_H
#define WB_WAIT_H
#include <sys/types.h>
#define WNOHANG 1
#define WUNTRACED 2
#define WCONTINUED 8
#define WIFEXITED(s) (((s) & 0x7f) == 0)
#define WEXITSTATUS(s) (((s) >> 8) & 0xff)
#define WIFSIGNALED(s) (((s) & 0x7f) != 0)
#define WTERMSIG(s) ((s) & 0x7f)
#define WCOREDUMP(s) 0
#define WIFSTOPPED(s) 0
#define WSTOPSIG(s) 0
#define WIFCONTINUED(s) 0
pid_t wait(int *status);
pid_t waitpid(pid_t pid, int *status, int flags);
#endif
