/* commands.c - programs that tar runs: filters of archives, and what
 * --to-command and the scripts of checkpoints and volumes name. It stands for
 * the part of tar's system.c that forks. A filter runs to its end before tar
 * reads what it gives; one that compresses runs when the archive is complete.
 * Both hand over in files of /tmp. */
#include <quotearg.h>
#include <sys/wait.h>

/* A program that runs once tar has written its input. */
struct deferred {
	char *input, *command;
	int status;
};
static struct deferred filter, receiver;

static char *temporary(int *fd)
{
	char *name = xstrdup("/tmp/.tarXXXXXX");
	*fd = mkstemp(name);
	if (*fd < 0)
		open_fatal(name);
	return name;
}

static char *shell_word(const char *word)
{
	struct quoting_options *how = clone_quoting_options(NULL);
	set_quoting_style(how, shell_always_quoting_style);
	char *quoted = quotearg_alloc(word, SIZE_MAX, how);
	free(how);
	return quoted;
}

/* run_deferred runs the program on what tar has written. */
static void run_deferred(struct deferred *d)
{
	if (!d->command)
		return;
	char *line = xasprintf("%s <%s", d->command, d->input);
	fflush(stdout);
	d->status = system(line);
	free(line);
	unlink(d->input);
	free(d->input);
	free(d->command);
	d->input = d->command = NULL;
}

void sys_wait_for_child(pid_t child, bool eof)
{
	if (!child)
		return;
	run_deferred(&filter);
	if (WIFSIGNALED(filter.status)) {
		if (eof || WTERMSIG(filter.status) != SIGPIPE)
			FATAL_ERROR((0, 0, _("Child died with signal %d"), WTERMSIG(filter.status)));
	} else if (WEXITSTATUS(filter.status) != 0) {
		FATAL_ERROR((0, 0, _("Child returned status %d"), WEXITSTATUS(filter.status)));
	}
}

static bool is_standard(const char *name) { return strcmp(name, "-") == 0; }

pid_t sys_child_open_for_compress(void)
{
	const char *name = archive_name_array[0];
	if (is_standard(name)) {
		filter.command = xstrdup(use_compress_program_option);
	} else {
		if (backup_option)
			maybe_backup_file(name, 1);
		int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, MODE_RW);
		if (fd < 0) {
			int e = errno;
			if (backup_option)
				undo_last_backup();
			errno = e;
			open_fatal(name);
		}
		close(fd);
		char *word = shell_word(name);
		filter.command = xasprintf("%s >%s", use_compress_program_option, word);
		free(word);
	}
	filter.input = temporary(&archive);
	return 1;
}

pid_t sys_child_open_for_uncompress(void)
{
	const char *name = archive_name_array[0], *before = NULL;
	char *input = NULL, *output = temporary(&archive);
	int state;
	if (!is_standard(name)) {
		if (access(name, R_OK) != 0)
			open_fatal(name);
		char *word = shell_word(name);
		input = xasprintf(" <%s", word);
		free(word);
	}
	for (const char *program = first_decompress_program(&state); program; program = next_decompress_program(&state)) {
		if (before) {
			WARNOPT(WARN_DECOMPRESS_PROGRAM, (0, 0, _("cannot run %s"), before));
			WARNOPT(WARN_DECOMPRESS_PROGRAM, (0, 0, _("trying %s"), program));
		}
		before = program;
		char *line = xasprintf("%s -d%s >%s", program, input ? input : "", output);
		filter.status = system(line);
		free(line);
		if (WEXITSTATUS(filter.status) != 127)
			break;
	}
	if (!before)
		FATAL_ERROR((0, 0, _("unable to run decompression program")));
	unlink(output);
	free(output);
	free(input);
	return 1;
}

static void dec_to_env(char const *name, uintmax_t number);
static void stat_to_env(char *name, char type, struct tar_stat_info *st);

int sys_exec_command(char *file_name, int type, struct tar_stat_info *st)
{
	int fd;
	stat_to_env(file_name, type, st);
	receiver.command = xstrdup(to_command_option);
	receiver.input = temporary(&fd);
	return fd;
}

void sys_wait_command(void)
{
	if (!receiver.command)
		return;
	run_deferred(&receiver);
	if (!ignore_command_error_option && WEXITSTATUS(receiver.status))
		ERROR((0, 0, _("%lu: Child returned status %d"), 1ul, WEXITSTATUS(receiver.status)));
}

static void script_environment(const char *archive_name)
{
	setenv("TAR_VERSION", PACKAGE_VERSION, 1);
	setenv("TAR_ARCHIVE", archive_name, 1);
	dec_to_env("TAR_BLOCKING_FACTOR", blocking_factor);
	setenv("TAR_SUBCOMMAND", subcommand_string(subcommand_option), 1);
	setenv("TAR_FORMAT", archive_format_string(current_format == DEFAULT_FORMAT ? archive_format : current_format), 1);
}

/* A script cannot name another archive: it has no descriptor to write it to. */
int sys_exec_info_script(const char **archive_name, int volume)
{
	script_environment(*archive_name);
	dec_to_env("TAR_VOLUME", volume);
	int status = system(info_script_option);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void sys_exec_checkpoint_script(const char *script, const char *archive_name, int checkpoint)
{
	script_environment(archive_name);
	dec_to_env("TAR_CHECKPOINT", checkpoint);
	system(script);
}

void sys_spawn_shell(void) { FATAL_ERROR((0, 0, _("a shell has no terminal here"))); }

/* What its library asks of the network, of users and of signals: no host has a
 * name, there is one user, and nobody sends a signal to wait for. */
struct hostent *gethostbyname(const char *name) { return NULL; }
int initgroups(const char *user, gid_t group) { return 0; }
int sigwait(const sigset_t *set, int *signal) { return ENOSYS; }
