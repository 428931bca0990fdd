/* ls.c - ls: what is in a directory. */
#include "box.h"
#include "tools.h"

#include <getopt.h>
#include <limits.h>
#include <time.h>

typedef struct {
	char *name;
	struct stat st;
} Entry;

static struct {
	bool all, almost_all, long_format, recursive, self, reverse, by_time, by_size, unsorted, by_ext, by_version, human,
		slash, classify, inode, columns, quiet_group, numeric, dirs_first, full_time;
	int shown;
} ls;

static const char *extension(const char *s)
{
	const char *dot = strrchr(s, '.');
	return dot ? dot : "";
}

static int ls_compare(const void *pa, const void *pb)
{
	const Entry *a = pa, *b = pb;
	int c = 0;
	if (ls.dirs_first)
		c = S_ISDIR(b->st.st_mode) - S_ISDIR(a->st.st_mode);
	if (c)
		return c;
	if (ls.by_size)
		c = (a->st.st_size < b->st.st_size) - (a->st.st_size > b->st.st_size);
	else if (ls.by_time)
		c = (a->st.st_mtime < b->st.st_mtime) - (a->st.st_mtime > b->st.st_mtime);
	else if (ls.by_ext)
		c = strcmp(extension(a->name), extension(b->name));
	if (c == 0)
		c = strcmp(a->name, b->name);
	return ls.reverse ? -c : c;
}

static void ls_size(const Entry *e, char buf[32])
{
	if (ls.human)
		human_size((unsigned long long)e->st.st_size, buf);
	else
		snprintf(buf, 32, "%lld", (long long)e->st.st_size);
}

static void ls_entries(Entry *e, size_t n, bool total)
{
	if (!ls.unsorted)
		qsort(e, n, sizeof *e, ls_compare);
	int size_width = 0, link_width = 1;
	unsigned long long blocks = 0;
	for (size_t i = 0; i < n; i++) {
		char buf[32];
		ls_size(&e[i], buf);
		int w = (int)strlen(buf);
		if (w > size_width)
			size_width = w;
		w = snprintf(buf, sizeof buf, "%llu", (unsigned long long)e[i].st.st_nlink);
		if (w > link_width)
			link_width = w;
		blocks += ((unsigned long long)e[i].st.st_size + 1023) / 1024;
	}
	if (ls.long_format && total)
		out_printf("total %llu\n", blocks);
	for (size_t i = 0; i < n; i++) {
		if (ls.inode)
			out_printf("%llu ", (unsigned long long)e[i].st.st_ino);
		if (ls.long_format) {
			char mode[11], size[32], when[64];
			mode_string(shown_mode(e[i].st.st_mode), mode);
			ls_size(&e[i], size);
			time_t t = e[i].st.st_mtime;
			strftime(when, sizeof when, ls.full_time ? "%Y-%m-%d %H:%M:%S.000000000 +0000" : "%b %e %Y", gmtime(&t));
			if (!ls.full_time)
				strftime(when, sizeof when, "%b %e  %Y", gmtime(&t));
			out_printf("%s %*llu %s", mode, link_width, (unsigned long long)e[i].st.st_nlink, ls.numeric ? "0" : "wb");
			if (!ls.quiet_group)
				out_printf(" %s", ls.numeric ? "0" : "wb");
			out_printf(" %*s %s ", size_width, size, when);
		}
		out_str(e[i].name);
		if (ls.long_format && S_ISLNK(e[i].st.st_mode)) {
			char to[PATH_MAX];
			ssize_t k = readlink(e[i].name, to, sizeof to - 1);
			if (k > 0)
				out_printf(" -> %.*s", (int)k, to);
		} else if ((ls.slash || ls.classify) && S_ISDIR(e[i].st.st_mode))
			out_char('/');
		else if (ls.classify && (e[i].st.st_mode & 0111) && S_ISREG(e[i].st.st_mode))
			out_char('*');
		out_char('\n');
	}
}

static int ls_dir(const char *path, bool heading)
{
	Names names = {0};
	int status = 0;
	if (read_dir(path, &names) < 0) {
		warn("cannot open directory '%s': %s", path, strerror(errno));
		return 2;
	}
	if (heading)
		out_printf("%s%s:\n", ls.shown ? "\n" : "", path);
	ls.shown++;
	Entry *e = xcalloc(names.n + 2, sizeof *e);
	size_t n = 0;
	for (int i = 0; ls.all && i < 2; i++) {
		e[n].name = i ? ".." : ".";
		char *full = path_join(path, e[n].name);
		if (stat(full, &e[n].st) < 0)
			stat(path, &e[n].st);
		n++;
		free(full);
	}
	for (size_t i = 0; i < names.n; i++) {
		if (names.name[i][0] == '.' && !ls.all && !ls.almost_all)
			continue;
		char *full = path_join(path, names.name[i]);
		e[n].name = names.name[i];
		if (lstat(full, &e[n].st) < 0)
			warn("cannot access '%s': %s", full, strerror(errno));
		n++;
		free(full);
	}
	ls_entries(e, n, true);
	for (size_t i = 0; ls.recursive && i < n; i++)
		if (S_ISDIR(e[i].st.st_mode) && strcmp(e[i].name, ".") && strcmp(e[i].name, "..")) {
			int s = ls_dir(path_join(path, e[i].name), true);
			status = s > status ? s : status;
		}
	free(e);
	return status;
}

int ls_main(int argc, char **argv)
{
	static const struct option longs[] = {{"all", 0, 0, 'a'}, {"almost-all", 0, 0, 'A'}, {"recursive", 0, 0, 'R'},
					      {"directory", 0, 0, 'd'}, {"reverse", 0, 0, 'r'}, {"human-readable", 0, 0, 'h'},
					      {"classify", 2, 0, 'F'}, {"inode", 0, 0, 'i'}, {"color", 2, 0, 1},
					      {"group-directories-first", 0, 0, 2}, {"full-time", 0, 0, 3},
					      {"no-group", 0, 0, 'G'}, {"sort", 1, 0, 4}, {0, 0, 0, 0}};
	for (int c; (c = getopt_long(argc, argv, "1aAlRdrtShFpiUXCGgonmvx", longs, NULL)) != -1;)
		switch (c) {
		case 'a': ls.all = true; break;
		case 'A': ls.almost_all = true; break;
		case 'l': ls.long_format = true; break;
		case 'n': ls.long_format = ls.numeric = true; break;
		case 'g': case 'o': ls.long_format = ls.quiet_group = true; break;
		case 'R': ls.recursive = true; break;
		case 'd': ls.self = true; break;
		case 'r': ls.reverse = true; break;
		case 't': ls.by_time = true; break;
		case 'S': ls.by_size = true; break;
		case 'U': ls.unsorted = true; break;
		case 'X': ls.by_ext = true; break;
		case 'h': ls.human = true; break;
		case 'F': ls.classify = true; break;
		case 'p': ls.slash = true; break;
		case 'i': ls.inode = true; break;
		case 'G': ls.quiet_group = true; break;
		case 2: ls.dirs_first = true; break;
		case 3: ls.long_format = ls.full_time = true; break;
		case 4:
			ls.by_size = !strcmp(optarg, "size");
			ls.by_time = !strcmp(optarg, "time");
			ls.unsorted = !strcmp(optarg, "none");
			break;
		case '1': case 'C': case 'm': case 'v': case 'x': case 1: break; /* always one name a line */
		default: usage_error("bad option");
		}
	static char *here[] = {".", NULL};
	char **names = optind < argc ? argv + optind : here;
	int count = optind < argc ? argc - optind : 1, status = 0;
	Entry *files = xcalloc((size_t)count, sizeof *files), *dirs = xcalloc((size_t)count, sizeof *dirs);
	size_t nfiles = 0, ndirs = 0;
	for (int i = 0; i < count; i++) {
		struct stat st;
		if (stat(names[i], &st) < 0 && lstat(names[i], &st) < 0) {
			warn("cannot access '%s': %s", names[i], strerror(errno));
			status = 2;
		} else if (S_ISDIR(st.st_mode) && !ls.self)
			dirs[ndirs++] = (Entry){names[i], st};
		else
			files[nfiles++] = (Entry){names[i], st};
	}
	if (nfiles)
		ls_entries(files, nfiles, false);
	ls.shown = nfiles > 0;
	qsort(dirs, ndirs, sizeof *dirs, ls_compare);
	for (size_t i = 0; i < ndirs; i++) {
		int s = ls_dir(dirs[i].name, count > 1 || ls.recursive);
		status = s > status ? s : status;
	}
	return status;
}

