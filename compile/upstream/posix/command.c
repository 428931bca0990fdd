/* command.c - commands that a program runs, and the files it hands them.
 *
 * There are no processes: the host runs a command as an instance of its own and
 * waits for it. A command that is read from has run to its end before its first
 * line is read; one that is written to starts when it is closed. Both are handed
 * over in files of /tmp. */
#include "posix.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/wait.h>

#define IMPORT(name) __attribute__((import_module("wb"), import_name(name)))
/* See callToolRun in compile/shell/calls.go. */
IMPORT("tool_run") extern int tool_run(const char *words, size_t n, const char *input, size_t ninput, int flags);
IMPORT("tool_output") extern size_t tool_output(char *to, size_t room);
IMPORT("tool_environ") extern void tool_environ(const char *block, size_t n);

extern char **environ;

/* A command under way. */
struct command {
	FILE *file;
	char *text; /* of one that is written to */
	char name[32];
	int status;
	struct command *next;
};
static struct command *commands;

static char *joined(char *const words[], size_t *n)
{
	*n = 0;
	for (char *const *w = words; w && *w; w++)
		*n += strlen(*w) + 1;
	char *block = malloc(*n + 1), *to = block;
	for (char *const *w = words; w && *w; w++)
		to = stpcpy(to, *w) + 1;
	return block;
}

/* run runs the words and returns the exit status. */
static int run(char *const argv[], const char *input, size_t ninput, int flags)
{
	size_t n;
	char dir[PATH_MAX];
	if (getcwd(dir, sizeof dir))
		setenv("PWD", dir, 1);
	char *block = joined(environ, &n);
	tool_environ(block, n);
	free(block);
	block = joined(argv, &n);
	int status = tool_run(block, n, input, ninput, flags);
	free(block);
	return status;
}

/* status is an exit status as wait has it. */
static int status_of(int exit) { return exit > 128 && exit < 160 ? exit - 128 : exit << 8; }

static int run_shell(const char *command, const char *input, size_t ninput, int flags)
{
	char *words[] = {"sh", "-c", (char *) command, NULL};
	return status_of(run(words, input, ninput, flags));
}

int system(const char *command)
{
	if (!command)
		return 1;
	fflush(NULL);
	return run_shell(command, NULL, 0, 0);
}

/* temporary makes a file of a name that is not taken; its six last letters
 * before suffix count. */
static int temporary(char *letters, const char *name, int flags)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	static unsigned counter;
	for (;;) {
		unsigned n = ++counter;
		for (int i = 5; i >= 0; i--, n /= 36)
			letters[i] = digits[n % 36];
		int fd = open(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
}

int mkostemp(char *name, int flags)
{
	size_t n = strlen(name);
	if (n < 6 || strcmp(name + n - 6, "XXXXXX")) {
		errno = EINVAL;
		return -1;
	}
	return temporary(name + n - 6, name, flags);
}

int mkstemp(char *name) { return mkostemp(name, 0); }

char *mktemp(char *name)
{
	int fd = mkstemp(name);
	if (fd < 0) {
		*name = 0;
		return name;
	}
	close(fd);
	unlink(name);
	return name;
}

FILE *tmpfile(void)
{
	char name[] = "/tmp/.fileXXXXXX";
	int fd = mkstemp(name);
	if (fd < 0)
		return NULL;
	unlink(name);
	return fdopen(fd, "w+");
}

static struct command *begin(void)
{
	struct command *c = calloc(1, sizeof *c);
	strcpy(c->name, "/tmp/.runXXXXXX");
	int fd = mkstemp(c->name);
	if (fd < 0) {
		free(c);
		return NULL;
	}
	close(fd);
	c->next = commands;
	return commands = c;
}

FILE *popen(const char *command, const char *mode)
{
	struct command *c = begin();
	if (!c)
		return NULL;
	if (*mode == 'w') {
		c->text = strdup(command);
		return c->file = fopen(c->name, "w+");
	}
	fflush(NULL);
	c->status = run_shell(command, NULL, 0, 2);
	size_t n = tool_output(NULL, 0);
	char *output = malloc(n + 1);
	tool_output(output, n);
	FILE *f = fopen(c->name, "w");
	if (f) {
		fwrite(output, 1, n, f);
		fclose(f);
	}
	free(output);
	return c->file = fopen(c->name, "r");
}

int pclose(FILE *f)
{
	struct command **at = &commands;
	while (*at && (*at)->file != f)
		at = &(*at)->next;
	struct command *c = *at;
	if (!c) {
		errno = ECHILD;
		return -1;
	}
	*at = c->next;
	if (c->text) {
		fflush(NULL);
		long n = ftell(f);
		char *input = malloc(n + 1);
		rewind(f);
		n = fread(input, 1, n, f);
		fclose(f);
		c->status = run_shell(c->text, input, n, 1);
		free(input);
		free(c->text);
	} else {
		fclose(f);
	}
	unlink(c->name);
	int status = c->status;
	free(c);
	return status;
}

/* A child has run to its end when it is made, or does so when it is waited for. */
struct child {
	pid_t pid;
	char *command; /* that is still to be run, by a shell */
	int status;
	struct child *next;
};
static struct child *children;
pid_t waitpid(pid_t pid, int *status, int flags);

static pid_t born(char *command, int status)
{
	static pid_t pids = 1;
	struct child *c = calloc(1, sizeof *c), **at = &children;
	*c = (struct child){.pid = ++pids, .command = command, .status = status};
	while (*at)
		at = &(*at)->next;
	*at = c;
	return c->pid;
}

/* wb_spawn stands for fork, exec in the child, and an end that waits. */
pid_t wb_spawn(char *const argv[], int empty_input)
{
	fflush(NULL);
	return born(NULL, status_of(run(argv, "", 0, empty_input ? 1 : 0)));
}

/* wb_missing reports whether what was to run as a child is not there, and forgets
 * the child if so. */
int wb_missing(pid_t pid)
{
	for (struct child *c = children; c; c = c->next)
		if (c->pid == pid && c->status == 127 << 8)
			return waitpid(pid, NULL, 0) == pid;
	return 0;
}

/* wb_defer is a child that reads what its parent still has to write. */
pid_t wb_defer(const char *command) { return born(strdup(command), 0); }

pid_t waitpid(pid_t pid, int *status, int flags)
{
	struct child **at = &children;
	while (*at && pid > 0 && (*at)->pid != pid)
		at = &(*at)->next;
	struct child *c = *at;
	if (!c) {
		errno = ECHILD;
		return -1;
	}
	*at = c->next;
	pid = c->pid;
	if (c->command)
		c->status = run_shell(c->command, NULL, 0, 0);
	if (status)
		*status = c->status;
	free(c->command);
	free(c);
	return pid;
}

pid_t wait(int *status) { return waitpid(-1, status, 0); }

/* A program that is replaced by another has run it when this returns. */
int execvp(const char *file, char *const argv[])
{
	fflush(NULL);
	int status = run(argv, NULL, 0, 4);
	if (status == 127 || status == 126) {
		errno = status == 127 ? ENOENT : EACCES;
		return -1;
	}
	_exit(status);
}
int execv(const char *file, char *const argv[]) { return execvp(file, argv); }

int execl(const char *file, const char *word, ...)
{
	char *argv[64];
	int n = 0;
	va_list more;
	va_start(more, word);
	for (; word && n < 63; word = va_arg(more, const char *))
		argv[n++] = (char *) word;
	va_end(more);
	argv[n] = NULL;
	return execvp(file, argv);
}

int execlp(const char *file, const char *word, ...)
{
	char *argv[64];
	int n = 0;
	va_list more;
	va_start(more, word);
	for (; word && n < 63; word = va_arg(more, const char *))
		argv[n++] = (char *) word;
	va_end(more);
	argv[n] = NULL;
	return execvp(file, argv);
}

static int none(int code)
{
	errno = code;
	return -1;
}
pid_t fork(void) { return none(ENOSYS); }
pid_t vfork(void) { return none(ENOSYS); }
int pipe(int ends[2]) { return none(ENOSYS); }
pid_t getppid(void) { return 1; }
pid_t getpgrp(void) { return 1; }
pid_t setsid(void) { return 1; }
int kill(pid_t pid, int signal) { _exit(128 + signal); }
unsigned alarm(unsigned seconds) { return 0; }
int nice(int more) { return 0; }
int getrlimit(int what, struct rlimit *to)
{
	to->rlim_cur = to->rlim_max = what == RLIMIT_NOFILE ? 256 : RLIM_INFINITY;
	return 0;
}
int setrlimit(int what, const struct rlimit *to) { return 0; }
int getpriority(int which, int who) { return 0; }
int setpriority(int which, int who, int to) { return 0; }
int sigaction(int signal, const struct sigaction *to, struct sigaction *old)
{
	if (old)
		memset(old, 0, sizeof *old);
	return 0;
}
int sigprocmask(int how, const sigset_t *to, sigset_t *old)
{
	if (old)
		memset(old, 0, sizeof *old);
	return 0;
}
int pthread_sigmask(int how, const sigset_t *to, sigset_t *old) { return sigprocmask(how, to, old); }
int siginterrupt(int signal, int flag) { return 0; }
