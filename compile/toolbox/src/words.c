/* words.c - true false basename dirname env printenv pwd sleep: words in, words
 * out. */
#include "box.h"
#include "tools.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <time.h>

extern char **environ;

int true_main(int argc, char **argv) { (void)argc; (void)argv; return 0; }
int false_main(int argc, char **argv) { (void)argc; (void)argv; return 1; }

/* ---- basename, dirname ---- */

static void put_base(char *path, const char *suffix, int end)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		path[--n] = 0;
	const char *base = path_base(path);
	size_t len = strlen(base), s = suffix ? strlen(suffix) : 0;
	if (s && len > s && !strcmp(base + len - s, suffix))
		len -= s;
	out(base, len);
	out_char(end);
}

int basename_main(int argc, char **argv)
{
	static const struct option longs[] = {{"multiple", 0, 0, 'a'}, {"suffix", 1, 0, 's'}, {"zero", 0, 0, 'z'}, {0, 0, 0, 0}};
	bool many = false;
	const char *suffix = NULL;
	int end = '\n';
	for (int c; (c = getopt_long(argc, argv, "+as:z", longs, NULL)) != -1;)
		switch (c) {
		case 'a': many = true; break;
		case 's': many = true; suffix = optarg; break;
		case 'z': end = 0; break;
		default: usage_error("bad option");
		}
	require_args(argc, optind, 1, many ? -1 : 2);
	if (!many) {
		put_base(argv[optind], optind + 1 < argc ? argv[optind + 1] : NULL, end);
		return 0;
	}
	for (int i = optind; i < argc; i++)
		put_base(argv[i], suffix, end);
	return 0;
}

int dirname_main(int argc, char **argv)
{
	int end = '\n';
	for (int c; (c = getopt(argc, argv, "z")) != -1;)
		end = c == 'z' ? 0 : (usage_error("bad option"), 0);
	require_args(argc, optind, 1, -1);
	for (int i = optind; i < argc; i++) {
		size_t n = strlen(argv[i]);
		while (n > 1 && argv[i][n - 1] == '/')
			n--;
		while (n > 0 && argv[i][n - 1] != '/')
			n--;
		while (n > 1 && argv[i][n - 1] == '/')
			n--;
		out(n ? argv[i] : ".", n ? n : 1);
		out_char(end);
	}
	return 0;
}

/* ---- env, printenv, pwd, sleep ---- */

int env_main(int argc, char **argv)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "-i") || !strcmp(argv[i], "-") || !strcmp(argv[i], "--ignore-environment"))
			clearenv();
		else if (!strcmp(argv[i], "-u") && i + 1 < argc)
			unsetenv(argv[++i]);
		else if (!strcmp(argv[i], "--")) {
			i++;
			break;
		} else
			usage_error("bad option '%s'", argv[i]);
	}
	for (; i < argc && strchr(argv[i], '='); i++)
		putenv(argv[i]);
	if (i < argc) {
		pass_environment();
		return run_command(argv + i);
	}
	for (char **e = environ; e && *e; e++)
		out_line(*e, strlen(*e));
	return 0;
}

int printenv_main(int argc, char **argv)
{
	int status = 0;
	for (int i = 1; i < argc; i++) {
		const char *v = getenv(argv[i]);
		if (v)
			out_line(v, strlen(v));
		else
			status = 1;
	}
	if (argc == 1)
		for (char **e = environ; e && *e; e++)
			out_line(*e, strlen(*e));
	return status;
}

int pwd_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	char dir[PATH_MAX];
	if (!getcwd(dir, sizeof dir))
		die(1, "%s", strerror(errno));
	out_line(dir, strlen(dir));
	return 0;
}

int sleep_main(int argc, char **argv)
{
	require_args(argc, 1, 1, -1);
	double total = 0;
	for (int i = 1; i < argc; i++) {
		char *end;
		double v = strtod(argv[i], &end);
		double unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 1;
		if (end == argv[i] || v < 0 || (*end && (!strchr("smhd", *end) || end[1])))
			usage_error("invalid time interval '%s'", argv[i]);
		total += v * unit;
	}
	struct timespec t = {(time_t)total, (long)((total - floor(total)) * 1e9)};
	nanosleep(&t, NULL);
	return 0;
}
