/* files.c - mkdir rm rmdir cp mv ln touch mktemp stat du which: the tree. */
#include "box.h"
#include "tools.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <time.h>

int open_output(const char *path, int flags)
{
	if (!strcmp(path, "/dev/null"))
		return FD_NULL;
	if (!strcmp(path, "/dev/stdout"))
		return 1;
	if (!strcmp(path, "/dev/stderr") || !strcmp(path, "/dev/tty"))
		return 2;
	return open(path, flags, 0666);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int read_dir(const char *path, Names *names)
{
	DIR *d = opendir(path);
	if (!d)
		return -1;
	for (struct dirent *e; (e = readdir(d));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		GROW(names->name, names->n, names->cap);
		names->name[names->n++] = xstrdup(e->d_name);
	}
	closedir(d);
	if (names->n)
		qsort(names->name, names->n, sizeof *names->name, by_name);
	return 0;
}

void mode_string(mode_t mode, char s[11])
{
	s[0] = S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : S_ISCHR(mode) ? 'c' : S_ISFIFO(mode) ? 'p' : '-';
	for (int i = 0; i < 9; i++)
		s[1 + i] = mode & (mode_t)(1 << (8 - i)) ? "rwx"[i % 3] : '-';
	s[10] = 0;
}

mode_t shown_mode(mode_t mode)
{
	if (mode & 0777)
		return mode;
	return mode | (S_ISDIR(mode) ? 0755 : 0644);
}

/* ---- mkdir, rmdir ---- */

static int make_path(const char *path, bool verbose)
{
	char *p = xstrdup(path);
	for (char *s = p + (*p == '/');; s++) {
		if (*s != '/' && *s)
			continue;
		char keep = *s;
		*s = 0;
		struct stat st;
		if (*p && mkdir(p, 0777) == 0) {
			if (verbose)
				out_printf("mkdir: created directory '%s'\n", p);
		} else if (*p && (stat(p, &st) < 0 || !S_ISDIR(st.st_mode))) {
			int e = errno == 0 || stat(p, &st) == 0 ? EEXIST : errno;
			warn("cannot create directory '%s': %s", path, strerror(keep ? ENOTDIR : e));
			return 1;
		}
		*s = keep;
		if (!keep)
			return 0;
	}
}

int mkdir_main(int argc, char **argv)
{
	static const struct option longs[] = {{"parents", 0, 0, 'p'}, {"mode", 1, 0, 'm'}, {"verbose", 0, 0, 'v'}, {0, 0, 0, 0}};
	bool parents = false, verbose = false;
	for (int c; (c = getopt_long(argc, argv, "pm:v", longs, NULL)) != -1;)
		switch (c) {
		case 'p': parents = true; break;
		case 'v': verbose = true; break;
		case 'm': break; /* the sandbox has no permissions */
		default: usage_error("bad option");
		}
	require_args(argc, optind, 1, -1);
	int status = 0;
	for (int i = optind; i < argc; i++) {
		if (parents)
			status |= make_path(argv[i], verbose);
		else if (mkdir(argv[i], 0777) < 0) {
			warn("cannot create directory '%s': %s", argv[i], strerror(errno));
			status = 1;
		} else if (verbose)
			out_printf("mkdir: created directory '%s'\n", argv[i]);
	}
	return status;
}

int rmdir_main(int argc, char **argv)
{
	bool parents = false, quiet = false;
	for (int c; (c = getopt_long(argc, argv, "pv", (struct option[]){{"parents", 0, 0, 'p'}, {"ignore-fail-on-non-empty", 0, 0, 1}, {0, 0, 0, 0}}, NULL)) != -1;)
		switch (c) {
		case 'p': parents = true; break;
		case 1: quiet = true; break;
		case 'v': break;
		default: usage_error("bad option");
		}
	require_args(argc, optind, 1, -1);
	int status = 0;
	for (int i = optind; i < argc; i++)
		for (char *p = xstrdup(argv[i]);;) {
			if (rmdir(p) < 0) {
				if (!(quiet && errno == ENOTEMPTY)) {
					warn("failed to remove '%s': %s", p, strerror(errno));
					status = 1;
				}
				break;
			}
			char *slash = strrchr(p, '/');
			if (!parents || !slash)
				break;
			*slash = 0;
		}
	return status;
}

/* ---- rm ---- */

static bool rm_verbose;

static int remove_tree(const char *path, bool force, bool recursive, bool dirs)
{
	struct stat st;
	if (lstat(path, &st) < 0) {
		if (force && (errno == ENOENT || errno == ENOTDIR))
			return 0;
		warn("cannot remove '%s': %s", path, strerror(errno));
		return 1;
	}
	if (!S_ISDIR(st.st_mode)) {
		if (unlink(path) < 0) {
			warn("cannot remove '%s': %s", path, strerror(errno));
			return 1;
		}
		if (rm_verbose)
			out_printf("removed '%s'\n", path);
		return 0;
	}
	if (!recursive && !dirs) {
		warn("cannot remove '%s': Is a directory", path);
		return 1;
	}
	int status = 0;
	Names names = {0};
	if (recursive && read_dir(path, &names) == 0)
		for (size_t i = 0; i < names.n; i++)
			status |= remove_tree(path_join(path, names.name[i]), force, true, dirs);
	if (status == 0 && rmdir(path) < 0) {
		warn("cannot remove '%s': %s", path, strerror(errno));
		return 1;
	}
	if (rm_verbose && status == 0)
		out_printf("removed directory '%s'\n", path);
	return status;
}

int rm_main(int argc, char **argv)
{
	static const struct option longs[] = {{"force", 0, 0, 'f'}, {"recursive", 0, 0, 'r'}, {"dir", 0, 0, 'd'},
					      {"verbose", 0, 0, 'v'}, {0, 0, 0, 0}};
	bool force = false, recursive = false, dirs = false;
	for (int c; (c = getopt_long(argc, argv, "frRdvi", longs, NULL)) != -1;)
		switch (c) {
		case 'f': force = true; break;
		case 'r': case 'R': recursive = true; break;
		case 'd': dirs = true; break;
		case 'v': rm_verbose = true; break;
		case 'i': break;
		default: usage_error("bad option");
		}
	if (optind == argc && force)
		return 0;
	require_args(argc, optind, 1, -1);
	int status = 0;
	for (int i = optind; i < argc; i++) {
		const char *base = path_base(argv[i]);
		if (!strcmp(base, ".") || !strcmp(base, "..") || !strcmp(argv[i], "/")) {
			warn("refusing to remove '%s'", argv[i]);
			status = 1;
		} else
			status |= remove_tree(argv[i], force, recursive, dirs);
	}
	return status;
}

/* ---- cp, mv, ln ---- */

static struct {
	bool recursive, force, no_clobber, preserve, verbose, update, no_target_dir;
	const char *target;
} cp;

static int copy_bytes(const char *from, const char *to)
{
	Reader r;
	if (!reader_open(&r, from))
		return 1;
	int fd = open_output(to, O_WRONLY | O_CREAT | O_TRUNC);
	if (fd == -1) {
		warn("cannot create regular file '%s': %s", to, strerror(errno));
		reader_close(&r);
		return 1;
	}
	char chunk[32768];
	ssize_t n;
	int status = 0;
	while (status == 0 && (n = reader_read(&r, chunk, sizeof chunk)) > 0)
		if (!write_all(fd, chunk, (size_t)n)) {
			warn("error writing '%s': %s", to, strerror(errno));
			status = 1;
		}
	reader_close(&r);
	if (fd > 2 && close(fd) < 0) {
		warn_errno(to);
		status = 1;
	}
	return status;
}

static void copy_times(const char *to, const struct stat *st)
{
	struct timespec t[2] = {{st->st_atime, 0}, {st->st_mtime, 0}};
	utimensat(AT_FDCWD, to, t, 0);
}

static int copy_tree(const char *from, const char *to)
{
	struct stat a, b;
	if (stat(from, &a) < 0) {
		warn("cannot stat '%s': %s", from, strerror(errno));
		return 1;
	}
	bool exists = stat(to, &b) == 0;
	if (exists && a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_ino != 0) {
		warn("'%s' and '%s' are the same file", from, to);
		return 1;
	}
	int status = 0;
	if (S_ISDIR(a.st_mode)) {
		if (!cp.recursive) {
			warn("-r not specified; omitting directory '%s'", from);
			return 1;
		}
		size_t n = strlen(from);
		if (!strncmp(from, to, n) && (to[n] == '/' || !to[n])) {
			warn("cannot copy a directory, '%s', into itself, '%s'", from, to);
			return 1;
		}
		if (!exists && mkdir(to, 0777) < 0) {
			warn("cannot create directory '%s': %s", to, strerror(errno));
			return 1;
		}
		Names names = {0};
		if (read_dir(from, &names) < 0) {
			warn_errno(from);
			return 1;
		}
		for (size_t i = 0; i < names.n; i++)
			status |= copy_tree(path_join(from, names.name[i]), path_join(to, names.name[i]));
	} else {
		if (exists && S_ISDIR(b.st_mode)) {
			warn("cannot overwrite directory '%s' with non-directory", to);
			return 1;
		}
		if (exists && (cp.no_clobber || (cp.update && b.st_mtime >= a.st_mtime)))
			return 0;
		status = copy_bytes(from, to);
	}
	if (status == 0 && cp.preserve)
		copy_times(to, &a);
	if (status == 0 && cp.verbose)
		out_printf("'%s' -> '%s'\n", from, to);
	return status;
}

static int move_tree(const char *from, const char *to)
{
	struct stat st;
	if (lstat(from, &st) < 0) {
		warn("cannot stat '%s': %s", from, strerror(errno));
		return 1;
	}
	struct stat there;
	bool exists = stat(to, &there) == 0;
	if (exists && cp.no_clobber)
		return 0;
	if (exists && there.st_ino == st.st_ino && there.st_dev == st.st_dev && st.st_ino != 0) {
		warn("'%s' and '%s' are the same file", from, to);
		return 1;
	}
	if (exists && S_ISDIR(there.st_mode) && !S_ISDIR(st.st_mode)) {
		warn("cannot overwrite directory '%s' with non-directory", to);
		return 1;
	}
	if (rename(from, to) < 0) {
		if (errno != EXDEV) {
			warn("cannot move '%s' to '%s': %s", from, to, strerror(errno));
			return 1;
		}
		cp.recursive = cp.preserve = true;
		if (copy_tree(from, to) || remove_tree(from, true, true, true))
			return 1;
	}
	if (cp.verbose)
		out_printf("renamed '%s' -> '%s'\n", from, to);
	return 0;
}

/* each_target calls fn(source, target) for "a b", "a… dir" and "-t dir a…". */
static int each_target(int argc, char **argv, int first, int (*fn)(const char *, const char *))
{
	int n = argc - first;
	const char *dir = cp.target;
	if (n < 1)
		usage_error("missing file operand");
	if (!dir) {
		if (n < 2)
			usage_error("missing destination file operand after '%s'", argv[first]);
		dir = argv[argc - 1];
		n--;
	}
	struct stat st;
	bool is_dir = !cp.no_target_dir && stat(dir, &st) == 0 && S_ISDIR(st.st_mode);
	if (!is_dir && (n > 1 || cp.target)) {
		warn("target '%s' is not a directory", dir);
		return 1;
	}
	int status = 0;
	for (int i = 0; i < n; i++) {
		char *from = xstrdup(argv[first + i]);
		size_t len = strlen(from);
		while (len > 1 && from[len - 1] == '/')
			from[--len] = 0;
		status |= fn(from, is_dir ? path_join(dir, path_base(from)) : dir);
	}
	return status;
}

static int parse_copy_options(int argc, char **argv, const char *letters)
{
	static const struct option longs[] = {{"recursive", 0, 0, 'r'}, {"force", 0, 0, 'f'}, {"no-clobber", 0, 0, 'n'},
					      {"verbose", 0, 0, 'v'}, {"archive", 0, 0, 'a'}, {"target-directory", 1, 0, 't'},
					      {"update", 0, 0, 'u'}, {"no-target-directory", 0, 0, 'T'},
					      {"symbolic", 0, 0, 's'}, {"preserve", 2, 0, 'p'}, {0, 0, 0, 0}};
	bool symbolic = false;
	for (int c; (c = getopt_long(argc, argv, letters, longs, NULL)) != -1;)
		switch (c) {
		case 'r': case 'R': cp.recursive = true; break;
		case 'a': cp.recursive = cp.preserve = true; break;
		case 'f': cp.force = true; cp.no_clobber = false; break;
		case 'n': cp.no_clobber = true; break;
		case 'p': cp.preserve = true; break;
		case 'v': cp.verbose = true; break;
		case 'u': cp.update = true; break;
		case 't': cp.target = optarg; break;
		case 'T': cp.no_target_dir = true; break;
		case 's': symbolic = true; break;
		case 'i': case 'd': case 'P': case 'L': case 'H': break;
		default: usage_error("bad option");
		}
	return symbolic;
}

int cp_main(int argc, char **argv)
{
	parse_copy_options(argc, argv, "rRafnpvut:TidPLH");
	return each_target(argc, argv, optind, copy_tree);
}

int mv_main(int argc, char **argv)
{
	parse_copy_options(argc, argv, "fnvut:Ti");
	return each_target(argc, argv, optind, move_tree);
}

static bool ln_symbolic;

static int link_to(const char *from, const char *to)
{
	if (cp.force)
		unlink(to);
	if ((ln_symbolic ? symlink(from, to) : link(from, to)) < 0) {
		warn("failed to create %s link '%s': %s", ln_symbolic ? "symbolic" : "hard", to, strerror(errno));
		return 1;
	}
	return 0;
}

int ln_main(int argc, char **argv)
{
	ln_symbolic = parse_copy_options(argc, argv, "sfnvt:T");
	cp.no_clobber = false;
	return each_target(argc, argv, optind, link_to);
}

/* ---- touch, mktemp ---- */

int touch_main(int argc, char **argv)
{
	bool no_create = false, set = false;
	struct timespec t[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
	struct stat st;
	for (int c; (c = getopt(argc, argv, "camd:t:r:")) != -1;)
		switch (c) {
		case 'c': no_create = true; break;
		case 'a': t[1].tv_nsec = UTIME_OMIT; break;
		case 'm': t[0].tv_nsec = UTIME_OMIT; break;
		case 'r':
			if (stat(optarg, &st) < 0)
				die_errno(1, optarg);
			t[0] = (struct timespec){st.st_atime, 0};
			t[1] = (struct timespec){st.st_mtime, 0};
			set = true;
			break;
		case 'd': {
			int y, mo = 1, d = 1, h = 0, mi = 0, s = 0;
			long long secs;
			if (*optarg == '@')
				secs = parse_int(optarg + 1, "date format");
			else {
				if (sscanf(optarg, "%d-%d-%d%*[T ]%d:%d:%d", &y, &mo, &d, &h, &mi, &s) < 3)
					die(1, "invalid date format '%s'", optarg);
				struct tm tm = {.tm_year = y - 1900, .tm_mon = mo - 1, .tm_mday = d, .tm_hour = h, .tm_min = mi, .tm_sec = s};
				secs = (long long)timegm(&tm);
			}
			t[0] = t[1] = (struct timespec){(time_t)secs, 0};
			set = true;
			break;
		}
		case 't': {
			struct tm tm = {0};
			int y, n = (int)strspn(optarg, "0123456789");
			if (n == 12 && sscanf(optarg, "%4d%2d%2d%2d%2d.%2d", &y, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec) >= 5)
				tm.tm_year = y - 1900;
			else
				die(1, "invalid date format '%s'", optarg);
			tm.tm_mon--;
			t[0] = t[1] = (struct timespec){timegm(&tm), 0};
			set = true;
			break;
		}
		default: usage_error("bad option");
		}
	require_args(argc, optind, 1, -1);
	int status = 0;
	for (int i = optind; i < argc; i++) {
		if (stat(argv[i], &st) < 0) {
			if (no_create)
				continue;
			int fd = open(argv[i], O_WRONLY | O_CREAT, 0666);
			if (fd < 0) {
				warn("cannot touch '%s': %s", argv[i], strerror(errno));
				status = 1;
				continue;
			}
			close(fd);
			if (!set)
				continue;
		}
		if (set ? !set_file_time(argv[i], &t[1]) : utimensat(AT_FDCWD, argv[i], t, 0) < 0) {
			warn("setting times of '%s': %s", argv[i], strerror(errno));
			status = 1;
		}
	}
	return status;
}

/* Names are counted, not drawn, so that a run can be repeated. */
int mktemp_main(int argc, char **argv)
{
	static const struct option longs[] = {{"directory", 0, 0, 'd'}, {"dry-run", 0, 0, 'u'}, {"quiet", 0, 0, 'q'},
					      {"suffix", 1, 0, 1}, {"tmpdir", 2, 0, 2}, {0, 0, 0, 0}};
	bool dir = false, dry = false, quiet = false, in_tmp = false;
	const char *tmp = getenv("TMPDIR"), *suffix = "";
	if (!tmp || !*tmp)
		tmp = "/tmp";
	for (int c; (c = getopt_long(argc, argv, "dup:tq", longs, NULL)) != -1;)
		switch (c) {
		case 'd': dir = true; break;
		case 'u': dry = true; break;
		case 'q': quiet = true; break;
		case 't': in_tmp = true; break;
		case 'p': tmp = optarg; in_tmp = true; break;
		case 1: suffix = optarg; break;
		case 2: in_tmp = true; tmp = optarg ? optarg : tmp; break;
		default: usage_error("bad option");
		}
	const char *pattern = "tmp.XXXXXXXXXX";
	if (optind < argc)
		pattern = argv[optind];
	else
		in_tmp = true;
	char *path = in_tmp ? path_join(tmp, pattern) : xstrdup(pattern);
	size_t n = strlen(path), x = n;
	while (x > 0 && path[x - 1] == 'X')
		x--;
	if (n - x < 3)
		die(1, "too few X's in template '%s'", pattern);
	Text full = {0};
	for (unsigned long k = 0; k < 1000000; k++) {
		unsigned long v = k;
		for (size_t i = n; i > x; i--, v /= 36)
			path[i - 1] = "0123456789abcdefghijklmnopqrstuvwxyz"[v % 36];
		full.len = 0;
		text_str(&full, path);
		text_str(&full, suffix);
		struct stat st;
		if (stat(full.s, &st) == 0)
			continue;
		if (!dry) {
			int fd = dir ? mkdir(full.s, 0700) : open(full.s, O_WRONLY | O_CREAT | O_EXCL, 0600);
			if (fd < 0 && errno == EEXIST)
				continue;
			if (fd < 0) {
				if (!quiet)
					warn("failed to create %s via template '%s': %s", dir ? "directory" : "file", pattern,
					     strerror(errno));
				return 1;
			}
			if (!dir)
				close(fd);
		}
		out_line(full.s, full.len);
		return 0;
	}
	die(1, "no free name for template '%s'", pattern);
}

/* ---- stat, du, which ---- */

static void stat_time(time_t t, bool text)
{
	char when[64];
	strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S.000000000 +0000", gmtime(&t));
	if (text)
		out_str(when);
	else
		out_printf("%lld", (long long)t);
}

static const char *type_name(const struct stat *st)
{
	return S_ISDIR(st->st_mode)   ? "directory"
	       : S_ISLNK(st->st_mode) ? "symbolic link"
	       : S_ISCHR(st->st_mode) ? "character special file"
	       : st->st_size          ? "regular file"
				      : "regular empty file";
}

static void stat_format(const char *f, const char *path, const struct stat *st, bool escapes)
{
	char mode[11];
	mode_string(shown_mode(st->st_mode), mode);
	for (; *f; f++) {
		if (*f == '\\' && escapes && f[1]) {
			f++;
			out_char(unescape_char(&f));
			f--;
			continue;
		}
		if (*f != '%' || !f[1]) {
			out_char(*f);
			continue;
		}
		switch (*++f) {
		case 'n': out_str(path); break;
		case 'N': out_printf("'%s'", path); break;
		case 's': out_printf("%lld", (long long)st->st_size); break;
		case 'a': out_printf("%o", (unsigned)shown_mode(st->st_mode) & 07777); break;
		case 'A': out_str(mode); break;
		case 'f': out_printf("%x", (unsigned)shown_mode(st->st_mode)); break;
		case 'F': out_str(type_name(st)); break;
		case 'h': out_printf("%llu", (unsigned long long)st->st_nlink); break;
		case 'i': out_printf("%llu", (unsigned long long)st->st_ino); break;
		case 'u': case 'g': out_char('0'); break;
		case 'U': case 'G': out_str("wb"); break;
		case 'b': out_printf("%lld", ((long long)st->st_size + 511) / 512); break;
		case 'B': out_str("512"); break;
		case 'x': stat_time(st->st_atime, true); break;
		case 'X': stat_time(st->st_atime, false); break;
		case 'y': stat_time(st->st_mtime, true); break;
		case 'Y': stat_time(st->st_mtime, false); break;
		case 'z': stat_time(st->st_ctime, true); break;
		case 'Z': stat_time(st->st_ctime, false); break;
		case '%': out_char('%'); break;
		default: out_char('?');
		}
	}
}

int stat_main(int argc, char **argv)
{
	static const struct option longs[] = {{"format", 1, 0, 'c'}, {"printf", 1, 0, 1}, {"dereference", 0, 0, 'L'}, {0, 0, 0, 0}};
	const char *format = NULL;
	bool escapes = false, follow = false;
	for (int c; (c = getopt_long(argc, argv, "c:L", longs, NULL)) != -1;)
		switch (c) {
		case 'c': format = optarg; escapes = false; break;
		case 1: format = optarg; escapes = true; break;
		case 'L': follow = true; break;
		default: usage_error("bad option");
		}
	require_args(argc, optind, 1, -1);
	int status = 0;
	for (int i = optind; i < argc; i++) {
		struct stat st;
		if ((follow ? stat(argv[i], &st) : lstat(argv[i], &st)) < 0) {
			warn("cannot statx '%s': %s", argv[i], strerror(errno));
			status = 1;
			continue;
		}
		stat_format(format ? format : "  File: %n\n  Size: %s\tBlocks: %b\t%F\nLinks: %h\nAccess: (0%a/%A)\nModify: %y\n",
			    argv[i], &st, escapes || !format);
		if (format && !escapes)
			out_char('\n');
	}
	return status;
}

static struct {
	bool all, summary, bytes, human, total;
	int depth;
	unsigned long long unit;
} du = {.depth = INT_MAX, .unit = 1024};

static void du_print(unsigned long long n, const char *path)
{
	char buf[32];
	if (du.human)
		human_size(n, buf);
	else
		snprintf(buf, sizeof buf, "%llu", (n + du.unit - 1) / du.unit);
	out_printf("%s\t%s\n", buf, path);
}

/* du_size counts bytes of content: the sandbox has no disk blocks. */
static unsigned long long du_size(const char *path, int depth, int *status)
{
	struct stat st;
	if (lstat(path, &st) < 0) {
		warn("cannot access '%s': %s", path, strerror(errno));
		*status = 1;
		return 0;
	}
	if (!S_ISDIR(st.st_mode)) {
		if ((du.all && depth <= du.depth) || depth == 0)
			du_print((unsigned long long)st.st_size, path);
		return (unsigned long long)st.st_size;
	}
	unsigned long long n = 0;
	Names names = {0};
	if (read_dir(path, &names) == 0)
		for (size_t i = 0; i < names.n; i++)
			n += du_size(path_join(path, names.name[i]), depth + 1, status);
	if (depth == 0 || depth <= du.depth)
		du_print(n, path);
	return n;
}

int du_main(int argc, char **argv)
{
	static const struct option longs[] = {{"all", 0, 0, 'a'}, {"summarize", 0, 0, 's'}, {"bytes", 0, 0, 'b'},
					      {"human-readable", 0, 0, 'h'}, {"total", 0, 0, 'c'}, {"max-depth", 1, 0, 'd'},
					      {"apparent-size", 0, 0, 1}, {0, 0, 0, 0}};
	for (int c; (c = getopt_long(argc, argv, "asbhckmd:", longs, NULL)) != -1;)
		switch (c) {
		case 'a': du.all = true; break;
		case 's': du.depth = 0; break;
		case 'b': du.unit = 1; break;
		case 'k': du.unit = 1024; break;
		case 'm': du.unit = 1 << 20; break;
		case 'h': du.human = true; break;
		case 'c': du.total = true; break;
		case 'd': du.depth = (int)parse_int(optarg, "maximum depth"); break;
		case 1: break;
		default: usage_error("bad option");
		}
	int status = 0;
	unsigned long long total = 0;
	if (optind == argc)
		total = du_size(".", 0, &status);
	for (int i = optind; i < argc; i++)
		total += du_size(argv[i], 0, &status);
	if (du.total)
		du_print(total, "total");
	return status;
}

#ifdef __wasm__
__attribute__((import_module("wb"), import_name("known"))) extern int known(const char *name, size_t n);
#else
static int known(const char *name, size_t n) { (void)n; return find_applet(name) != NULL; }
#endif

int which_main(int argc, char **argv)
{
	int status = 0;
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			continue;
		if (known(argv[i], strlen(argv[i])))
			out_printf("/bin/%s\n", argv[i]);
		else
			status = 1;
	}
	return status;
}
