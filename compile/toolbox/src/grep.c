/* grep.c - grep: print the lines that match. */
#include "box.h"
#include "regex.h"
#include "tools.h"

#include <ctype.h>
#include <getopt.h>
#include <sys/stat.h>

static struct {
	Pattern *patterns;
	size_t npatterns, cappatterns;
	bool have_pattern;
	Regex *re;
	int flags;
	bool invert, number, count, list, list_without, only, quiet, silent, byte_offset, recursive, text,
		without_binary, null_after_name;
	int names; /* -1: when there are several files */
	long long max, before, after;
	int delim;
	const char *label;
	const char **include, **exclude, **exclude_dir;
	size_t ninclude, nexclude, nexclude_dir, cap1, cap2, cap3;
	bool matched, trouble;
} g = {.names = -1, .max = -1, .before = -1, .after = -1, .delim = '\n'};

/* add_patterns adds each line of s as a pattern of its own. */
static void add_patterns(const char *s, size_t n)
{
	const char *end = s + n;
	for (;;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		GROW(g.patterns, g.npatterns, g.cappatterns);
		g.patterns[g.npatterns++] = (Pattern){s, (size_t)((nl ? nl : end) - s)};
		if (!nl)
			break;
		s = nl + 1;
	}
	g.have_pattern = true;
}

static void pattern_file(const char *path)
{
	Text *t = xcalloc(1, sizeof *t);
	text_reserve(t, 0);
	if (!slurp(path, t))
		exit(2);
	if (t->len && t->s[t->len - 1] == '\n')
		t->len--;
	else if (t->len == 0) { /* an empty file matches nothing */
		g.have_pattern = true;
		return;
	}
	add_patterns(t->s, t->len);
}

static void prefix(const char *name, bool show_name, unsigned long long line, unsigned long long offset, char mark)
{
	if (show_name) {
		out_str(name);
		out_char(g.null_after_name ? 0 : mark);
	}
	if (g.number)
		out_printf("%llu%c", line, mark);
	if (g.byte_offset)
		out_printf("%llu%c", offset, mark);
}

/* only_matches prints each match of a line for -o. */
static void only_matches(const char *name, bool show, const char *s, size_t n, unsigned long long line,
			 unsigned long long offset)
{
	Span m;
	for (size_t at = 0; at <= n && regex_search(g.re, s, n, at, &m, 1);) {
		if (m.end > m.start) {
			prefix(name, show, line, offset + (unsigned long long)m.start, ':');
			out(s + m.start, (size_t)(m.end - m.start));
			out_char(g.delim);
			at = (size_t)m.end;
		} else
			at = (size_t)m.end + 1;
	}
}

typedef struct {
	char *s;
	size_t n;
	unsigned long long line, offset;
} Kept;

static int grep_reader(Reader *r, const char *name, bool show)
{
	long long found = 0;
	unsigned long long line = 0, offset = 0, last_shown = 0;
	long long before = g.before < 0 ? 0 : g.before, after = g.after < 0 ? 0 : g.after, pending = 0;
	bool context = g.before >= 0 || g.after >= 0, binary = false;
	bool print = !g.count && !g.list && !g.list_without && !g.quiet;
	Kept *kept = xcalloc((size_t)before + 1, sizeof *kept);
	size_t nkept = 0, first = 0;
	char *s;
	size_t n;
	bool had_delim;
	/* Like GNU grep, a NUL in what is read first makes the file binary. */
	if (!g.text && r->start == r->end) {
		int c = reader_byte(r);
		if (c != EOF)
			r->start--;
	}
	if (!g.text && g.delim == '\n' && r->end > r->start && memchr(r->buf + r->start, 0, r->end - r->start))
		binary = true;
	while (reader_record(r, g.delim, &s, &n, &had_delim)) {
		line++;
		if (!g.text && !binary && g.delim == '\n' && memchr(s, 0, n))
			binary = true;
		bool hit = regex_search(g.re, s, n, 0, NULL, 0) != g.invert;
		if (hit && g.max != 0) {
			found++;
			g.matched = true;
			if (g.quiet)
				exit(0);
			if (binary && g.without_binary) {
				found = 0;
				break;
			}
			if (g.list || g.list_without)
				break;
			if (binary && print) {
				out_flush();
				warn("%s: binary file matches", name);
				break;
			}
			if (print) {
				if (context && !g.only && last_shown &&
				    line - (unsigned long long)nkept > last_shown + 1)
					out_str("--\n");
				for (size_t i = 0; i < nkept && !g.only; i++) {
					Kept *k = &kept[(first + i) % (size_t)(before ? before : 1)];
					prefix(name, show, k->line, k->offset, '-');
					out(k->s, k->n);
					out_char(g.delim);
				}
				nkept = first = 0;
				if (g.only) {
					if (!g.invert)
						only_matches(name, show, s, n, line, offset);
				} else {
					prefix(name, show, line, offset, ':');
					out(s, n);
					out_char(g.delim);
				}
				last_shown = line;
				pending = after;
			}
			if (g.max > 0 && found >= g.max) {
				/* the lines after the last match are still shown */
				while (print && !g.only && pending-- > 0 && reader_record(r, g.delim, &s, &n, NULL)) {
					line++;
					if (regex_search(g.re, s, n, 0, NULL, 0) != g.invert)
						break;
					prefix(name, show, line, offset, '-');
					out(s, n);
					out_char(g.delim);
				}
				break;
			}
		} else if (pending > 0 && print && !g.only) {
			prefix(name, show, line, offset, '-');
			out(s, n);
			out_char(g.delim);
			last_shown = line;
			pending--;
		} else if (before > 0 && print) {
			size_t slot = (first + nkept) % (size_t)before;
			if (nkept == (size_t)before)
				first = (first + 1) % (size_t)before;
			else
				nkept++;
			free(kept[slot].s);
			kept[slot] = (Kept){xmemdup(s, n), n, line, offset};
		}
		if (g.max == 0)
			break;
		offset += n + had_delim;
	}
	if (g.count) {
		if (show) {
			out_str(name);
			out_char(g.null_after_name ? 0 : ':');
		}
		out_printf("%lld\n", found);
	}
	if ((g.list && found) || (g.list_without && !found)) {
		out_str(name);
		out_char(g.null_after_name ? 0 : '\n');
	}
	if (g.list_without)
		g.matched |= !found;
	free(kept);
	return 0;
}

static bool matches_any(const char **globs, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (glob_match(globs[i], path_base(path), false) || glob_match(globs[i], path, false))
			return true;
	return false;
}

static void grep_path(const char *path, bool show, bool given)
{
	struct stat st;
	if (strcmp(path, "-") && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (!g.recursive) {
			if (!g.silent)
				warn("%s: Is a directory", path);
			return;
		}
		if (matches_any(g.exclude_dir, g.nexclude_dir, path))
			return;
		Names names = {0};
		if (read_dir(path, &names) < 0) {
			if (!g.silent)
				warn_errno(path);
			g.trouble = true;
			return;
		}
		for (size_t i = 0; i < names.n; i++)
			grep_path(given && !strcmp(path, ".") && g.recursive && g.names == -2 ? names.name[i]
											     : path_join(path, names.name[i]),
				  show, false);
		return;
	}
	if (!given || g.ninclude || g.nexclude) {
		if (g.ninclude && !matches_any(g.include, g.ninclude, path))
			return;
		if (matches_any(g.exclude, g.nexclude, path))
			return;
	}
	Reader r;
	if (g.silent && strcmp(path, "-") && stat(path, &st) != 0) {
		g.trouble = true;
		return;
	}
	if (!reader_open(&r, path)) {
		g.trouble = true;
		return;
	}
	grep_reader(&r, !strcmp(path, "-") ? (g.label ? g.label : "(standard input)") : path, show);
	reader_close(&r);
}

int grep_main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"extended-regexp", 0, 0, 'E'}, {"fixed-strings", 0, 0, 'F'}, {"basic-regexp", 0, 0, 'G'},
		{"perl-regexp", 0, 0, 'P'}, {"ignore-case", 0, 0, 'i'}, {"no-ignore-case", 0, 0, 4},
		{"invert-match", 0, 0, 'v'}, {"line-number", 0, 0, 'n'}, {"count", 0, 0, 'c'},
		{"files-with-matches", 0, 0, 'l'}, {"files-without-match", 0, 0, 'L'}, {"only-matching", 0, 0, 'o'},
		{"quiet", 0, 0, 'q'}, {"silent", 0, 0, 'q'}, {"recursive", 0, 0, 'r'},
		{"dereference-recursive", 0, 0, 'R'}, {"word-regexp", 0, 0, 'w'}, {"line-regexp", 0, 0, 'x'},
		{"regexp", 1, 0, 'e'}, {"file", 1, 0, 'f'}, {"after-context", 1, 0, 'A'}, {"before-context", 1, 0, 'B'},
		{"context", 1, 0, 'C'}, {"no-filename", 0, 0, 'h'}, {"with-filename", 0, 0, 'H'},
		{"no-messages", 0, 0, 's'}, {"max-count", 1, 0, 'm'}, {"byte-offset", 0, 0, 'b'}, {"text", 0, 0, 'a'},
		{"null-data", 0, 0, 'z'}, {"null", 0, 0, 'Z'}, {"color", 2, 0, 1}, {"colour", 2, 0, 1},
		{"include", 1, 0, 2}, {"exclude", 1, 0, 3}, {"exclude-dir", 1, 0, 5}, {"label", 1, 0, 6},
		{"binary-files", 1, 0, 7}, {"line-buffered", 0, 0, 1}, {0, 0, 0, 0}};
	if (!strcmp(tool, "egrep"))
		g.flags |= RE_EXTENDED;
	if (!strcmp(tool, "fgrep"))
		g.flags |= RE_LITERAL;
	long long digits = -1;
	for (int c; (c = getopt_long(argc, argv, "EFGPivncLloqrRwxye:f:A:B:C:hHsm:bazZIU0123456789", longs, NULL)) != -1;)
		switch (c) {
		case 'E': g.flags = (g.flags & ~RE_LITERAL) | RE_EXTENDED; break;
		case 'F': g.flags = (g.flags & ~RE_EXTENDED) | RE_LITERAL; break;
		case 'G': g.flags &= ~(RE_EXTENDED | RE_LITERAL); break;
		case 'P': die(2, "-P is not available: use -E (POSIX extended regular expressions)");
		case 'i': case 'y': g.flags |= RE_ICASE; break;
		case 4: g.flags &= ~RE_ICASE; break;
		case 'v': g.invert = true; break;
		case 'n': g.number = true; break;
		case 'c': g.count = true; break;
		case 'l': g.list = true; break;
		case 'L': g.list_without = true; break;
		case 'o': g.only = true; break;
		case 'q': g.quiet = true; break;
		case 'r': case 'R': g.recursive = true; break;
		case 'w': g.flags |= RE_WHOLE_WORD; break;
		case 'x': g.flags |= RE_WHOLE_LINE; break;
		case 'e': add_patterns(optarg, strlen(optarg)); break;
		case 'f': pattern_file(optarg); break;
		case 'A': g.after = parse_int(optarg, "context length argument"); break;
		case 'B': g.before = parse_int(optarg, "context length argument"); break;
		case 'C': g.before = g.after = parse_int(optarg, "context length argument"); break;
		case 'h': g.names = 0; break;
		case 'H': g.names = 1; break;
		case 's': g.silent = true; break;
		case 'm': g.max = parse_int(optarg, "max count"); break;
		case 'b': g.byte_offset = true; break;
		case 'a': case 'U': g.text = true; break;
		case 'z': g.delim = 0; break;
		case 'Z': g.null_after_name = true; break;
		case 'I': g.without_binary = true; break;
		case 1: break;
		case 2: GROW(g.include, g.ninclude, g.cap1); g.include[g.ninclude++] = optarg; break;
		case 3: GROW(g.exclude, g.nexclude, g.cap2); g.exclude[g.nexclude++] = optarg; break;
		case 5: GROW(g.exclude_dir, g.nexclude_dir, g.cap3); g.exclude_dir[g.nexclude_dir++] = optarg; break;
		case 6: g.label = optarg; break;
		case 7:
			g.text |= !strcmp(optarg, "text");
			g.without_binary |= !strcmp(optarg, "without-match");
			break;
		default:
			if (!isdigit(c))
				usage_error("bad option");
			digits = (digits < 0 ? 0 : digits * 10) + c - '0';
		}
	if (digits >= 0) {
		g.before = g.before < 0 ? digits : g.before;
		g.after = g.after < 0 ? digits : g.after;
	}
	if (!g.have_pattern) {
		if (optind >= argc)
			usage_error("missing pattern");
		add_patterns(argv[optind], strlen(argv[optind]));
		optind++;
	}
	const char *why;
	g.re = regex_compile(g.patterns, g.npatterns, g.flags, &why);
	if (!g.re)
		die(2, "%s", why);
	int files = argc - optind;
	bool bare = files == 0 && g.recursive;
	bool show = g.names == 1 || (g.names == -1 && (files > 1 || g.recursive));
	if (bare)
		g.names = -2; /* paths come out without ./ */
	if (files == 0)
		grep_path(g.recursive ? "." : "-", show, true);
	for (int i = optind; i < argc; i++)
		grep_path(argv[i], show, true);
	out_flush();
	if (g.trouble && !(g.quiet && g.matched))
		return 2;
	return !g.matched;
}
