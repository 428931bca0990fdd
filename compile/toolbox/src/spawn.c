/* spawn.c - running another command from inside a tool: see box.h.
 *
 * In the sandbox there are no processes: the host runs the command as an
 * instance of its own, on the same files and the same budget. */
#include "box.h"

extern char **environ;

#ifdef __wasm__

#define IMPORT(name) __attribute__((import_module("wb"), import_name(name)))

/* tool_run runs the NUL-separated words. Bit 0 of flags: input is given; bit
 * 1: keep the output for tool_output. Returns the exit status. */
IMPORT("tool_run")
extern int tool_run(const char *words, size_t n, const char *input, size_t ninput, int flags);
/* tool_environ sets the environment, NUL-separated, of commands run from now on. */
IMPORT("tool_environ") extern void tool_environ(const char *block, size_t n);
/* tool_output copies what the last command printed; with no room it tells the size. */
IMPORT("tool_output") extern size_t tool_output(char *to, size_t room);

static void join_words(char **argv, Text *block)
{
	for (; *argv; argv++)
		text_add(block, *argv, strlen(*argv) + 1);
}

int capture_command(char **argv, const Text *input, Text *output)
{
	Text block = {0};
	join_words(argv, &block);
	out_flush();
	int status = tool_run(block.s, block.len, input ? input->s : NULL, input ? input->len : 0,
			      (input ? 1 : 0) | (output ? 2 : 0));
	if (output) {
		size_t n = tool_output(NULL, 0);
		text_reserve(output, n);
		tool_output(output->s + output->len, n);
		output->len += n;
		output->s[output->len] = 0;
	}
	free(block.s);
	return status;
}

#else /* native, for comparison with the machine's own tools */

#include <sys/wait.h>

int capture_command(char **argv, const Text *input, Text *output)
{
	int in[2], result[2], status;
	out_flush();
	fflush(stderr);
	if ((input && pipe(in)) || (output && pipe(result)))
		return 126;
	pid_t feeder = input ? fork() : -1;
	if (feeder == 0) {
		close(in[0]);
		_exit(!write_all(in[1], input->s, input->len));
	}
	pid_t pid = fork();
	if (pid == 0) {
		if (input) {
			dup2(in[0], 0);
			close(in[0]);
			close(in[1]);
		}
		if (output) {
			dup2(result[1], 1);
			close(result[0]);
			close(result[1]);
		}
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (input) {
		close(in[0]);
		close(in[1]);
	}
	if (output) {
		close(result[1]);
		Reader r;
		reader_from_fd(&r, result[0], "pipe");
		reader_all(&r, output);
		close(result[0]);
	}
	waitpid(pid, &status, 0);
	if (feeder > 0)
		waitpid(feeder, NULL, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#endif

void pass_environment(void)
{
#ifdef __wasm__
	Text block = {0};
	text_reserve(&block, 0);
	for (char **e = environ; e && *e; e++)
		text_add(&block, *e, strlen(*e) + 1);
	tool_environ(block.s, block.len);
	free(block.s);
#endif
}

int run_command(char **argv) { return capture_command(argv, NULL, NULL); }
