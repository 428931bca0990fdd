/* shim.c - commands that an awk program runs.
 *
 * A command that is read from has run to its end before its first line is
 * read; one that is written to starts when it is closed. Both are handed over
 * in files of /tmp, since gawk wants descriptors. */
#include "config.h"
#undef popen
#undef pclose
#undef system
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static int counter;

static int run(const char *command, const char *input, size_t ninput, int flags)
{
	size_t size = 0, n = strlen(command) + 1;
	for (char **e = environ; e && *e; e++)
		size += strlen(*e) + 1;
	char *block = malloc(size + 1), *to = block;
	for (char **e = environ; e && *e; e++)
		to = stpcpy(to, *e) + 1;
	tool_environ(block, size);
	free(block);
	char *words = malloc(n + 6);
	memcpy(words, "sh\0-c", 6);
	memcpy(words + 6, command, n);
	int status = tool_run(words, n + 6, input, ninput, flags);
	free(words);
	return status > 128 && status < 160 ? status - 128 : status << 8;
}

int wb_system(const char *command)
{
	fflush(NULL);
	return run(command, NULL, 0, 0);
}

static struct command *begin(void)
{
	struct command *c = calloc(1, sizeof *c);
	do
		snprintf(c->name, sizeof c->name, "/tmp/.awk%d", ++counter);
	while (access(c->name, F_OK) == 0);
	c->next = commands;
	return commands = c;
}

FILE *wb_popen(const char *command, const char *mode)
{
	struct command *c = begin();
	if (*mode == 'w') {
		c->text = strdup(command);
		return c->file = fopen(c->name, "w+");
	}
	fflush(NULL);
	c->status = run(command, NULL, 0, 2);
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

int wb_pclose(FILE *f)
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
		unlink(c->name);
		c->status = run(c->text, input, n, 1);
		free(input);
		free(c->text);
	} else {
		fclose(f);
		unlink(c->name);
	}
	int status = c->status;
	free(c);
	return status;
}

/* The debugger, which wants a terminal, is left out. */
void init_debug(void) {}
void frame_popped(void) {}
int debug_prog(void *program)
{
	(void) program;
	fputs("awk: there is no debugger here\n", stderr);
	exit(2);
}

/* A program of WASI starts in the root of its tree; PWD says where it is meant
 * to be. */
__attribute__((constructor)) static void enter_directory(void)
{
	const char *dir = getenv("PWD");
	if (dir)
		chdir(dir);
}
