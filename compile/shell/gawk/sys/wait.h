/* sys/wait.h - statuses of commands, as the shim gives them. */
#ifndef WB_WAIT_H
#define WB_WAIT_H
#define WNOHANG 1
#define WIFEXITED(s) (((s) & 0x7f) == 0)
#define WEXITSTATUS(s) (((s) >> 8) & 0xff)
#define WIFSIGNALED(s) (((s) & 0x7f) != 0)
#define WTERMSIG(s) ((s) & 0x7f)
#define WCOREDUMP(s) 0
#define WIFSTOPPED(s) 0
#define WIFCONTINUED(s) 0
#endif
