/* lines.c - cat tac head tail wc nl rev fold yes tee: whole lines in, lines out. */
#include "box.h"
#include "tools.h"

#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <sys/stat.h>

regex_t compiled(const char *pattern, int status)
{
	regex_t re;
	int wrong = regcomp(&re, pattern, 0);
	if (wrong) {
		char why[128];
		regerror(wrong, &re, why, sizeof why);
		die(status, "%s", why);
	}
	return re;
}

/* each_input calls fn for every operand, or standard input when there is none. */
int each_input(int argc, char **argv, int first, int (*fn)(Reader *r, void *state), void *state)
{
	static char *none[] = {"-", NULL};
	char **names = first < argc ? argv + first : none;
	int status = 0;
	for (; *names; names++) {
		Reader r;
		if (!reader_open(&r, *names)) {
			status = 1;
			continue;
		}
		int s = fn(&r, state);
		if (s > status)
			status = s;
		if (r.failed)
			status = status ? status : 1;
		reader_close(&r);
	}
	return status;
}

/* ---- cat, tac ---- */

struct cat {
	bool number, number_nonblank, squeeze, ends, tabs, visible;
	unsigned long long line;
	bool last_blank, at_line_start;
};

static void put_visible(int c)
{
	if (c >= 128) {
		out_str("M-");
		c -= 128;
	}
	if (c == 127)
		out_str("^?");
	else if (c < 32) {
		out_char('^');
		out_char(c + 64);
	} else
		out_char(c);
}

static int cat_file(Reader *r, void *state)
{
	struct cat *o = state;
	if (!o->number && !o->squeeze && !o->ends && !o->tabs && !o->visible) {
		char chunk[16384];
		ssize_t n;
		while ((n = reader_read(r, chunk, sizeof chunk)) > 0) {
			out(chunk, (size_t)n);
			if ((size_t)n < sizeof chunk)
				out_flush(); /* keep a pipeline moving */
		}
		return 0;
	}
	char *s;
	size_t n;
	bool newline;
	while (reader_record(r, '\n', &s, &n, &newline)) {
		bool blank = n == 0 && newline;
		if (o->at_line_start) {
			if (o->squeeze && blank && o->last_blank)
				continue;
			if (o->number && !(o->number_nonblank && blank))
				out_printf("%6llu\t", ++o->line);
		}
		o->last_blank = blank;
		for (size_t i = 0; i < n; i++) {
			unsigned char c = (unsigned char)s[i];
			if (c == '\t' ? o->tabs : (o->visible && (c < 32 || c > 126)))
				put_visible(c);
			else if (o->ends && !o->visible && c == '\r' && i + 1 == n && newline)
				out_str("^M");
			else
				out_char(c);
		}
		if (newline)
			out_str(o->ends ? "$\n" : "\n");
		o->at_line_start = newline;
	}
	return 0;
}

int cat_main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"number", 0, 0, 'n'}, {"number-nonblank", 0, 0, 'b'}, {"squeeze-blank", 0, 0, 's'},
		{"show-ends", 0, 0, 'E'}, {"show-tabs", 0, 0, 'T'}, {"show-nonprinting", 0, 0, 'v'},
		{"show-all", 0, 0, 'A'}, {0, 0, 0, 0}};
	struct cat o = {.at_line_start = true};
	for (int c; (c = getopt_long(argc, argv, "nbsETvAetu", longs, NULL)) != -1;)
		switch (c) {
		case 'n': o.number = true; break;
		case 'b': o.number = o.number_nonblank = true; break;
		case 's': o.squeeze = true; break;
		case 'E': o.ends = true; break;
		case 'T': o.tabs = true; break;
		case 'v': o.visible = true; break;
		case 'A': o.visible = o.ends = o.tabs = true; break;
		case 'e': o.visible = o.ends = true; break;
		case 't': o.visible = o.tabs = true; break;
		case 'u': break;
		default: usage_error("bad option");
		}
	return each_input(argc, argv, optind, cat_file, &o);
}

static int tac_file(Reader *r, void *state)
{
	(void)state;
	Text t = {0};
	text_reserve(&t, 0);
	reader_all(r, &t);
	size_t end = t.len;
	while (end > 0) {
		size_t at = end - 1;
		while (at > 0 && t.s[at - 1] != '\n')
			at--;
		out(t.s + at, end - at);
		end = at;
	}
	free(t.s);
	return 0;
}

int tac_main(int argc, char **argv) { return each_input(argc, argv, 1, tac_file, NULL); }

/* ---- head, tail ---- */

struct ends {
	bool bytes, quiet, verbose, from_start, all_but;
	long long count;
	int delim, files, shown;
};

static void title(struct ends *o, const char *name)
{
	if (o->quiet || (o->files < 2 && !o->verbose))
		return;
	out_printf("%s==> %s <==\n", o->shown++ ? "\n" : "", !strcmp(name, "-") ? "standard input" : name);
}

/* count_operand reads the -5 and +5 spellings of old. */
static void count_operand(int *argc, char **argv, struct ends *o)
{
	if (*argc < 2 || !((argv[1][0] == '-' || (argv[1][0] == '+' && o->from_start)) && isdigit((unsigned char)argv[1][1]))) {
		o->from_start = false;
		return;
	}
	o->from_start = argv[1][0] == '+';
	char *end;
	o->count = strtoll(argv[1] + 1, &end, 10);
	o->bytes = *end == 'c';
	memmove(argv + 1, argv + 2, (size_t)(*argc - 1) * sizeof *argv);
	--*argc;
}

static void parse_count(struct ends *o, const char *s, const char *what)
{
	if (*s == '-') {
		o->all_but = true;
		s++;
	} else if (*s == '+') {
		o->from_start = true;
		s++;
	}
	o->count = parse_size(s, what);
}

static const struct option ends_options[] = {{"lines", 1, 0, 'n'}, {"bytes", 1, 0, 'c'}, {"quiet", 0, 0, 'q'},
					     {"silent", 0, 0, 'q'}, {"verbose", 0, 0, 'v'},
					     {"zero-terminated", 0, 0, 'z'}, {0, 0, 0, 0}};

static void ends_parse(int *argc, char **argv, struct ends *o)
{
	count_operand(argc, argv, o);
	for (int c; (c = getopt_long(*argc, argv, "n:c:qvzf", ends_options, NULL)) != -1;)
		switch (c) {
		case 'n': o->bytes = false; parse_count(o, optarg, "number of lines"); break;
		case 'c': o->bytes = true; parse_count(o, optarg, "number of bytes"); break;
		case 'q': o->quiet = true; break;
		case 'v': o->verbose = true; break;
		case 'z': o->delim = 0; break;
		case 'f': die(1, "-f is not available: nothing writes to a file while a stage reads it");
		default: usage_error("bad option");
		}
	o->files = *argc - optind;
}

static int head_file(Reader *r, void *state)
{
	struct ends *o = state;
	title(o, r->name);
	if (o->all_but) {
		Text t = {0};
		text_reserve(&t, 0);
		reader_all(r, &t);
		size_t end = t.len;
		if (o->bytes)
			end = t.len > (size_t)o->count ? t.len - (size_t)o->count : 0;
		else
			for (long long n = o->count; n > 0 && end > 0; n--) {
				end--;
				while (end > 0 && t.s[end - 1] != o->delim)
					end--;
			}
		out(t.s, end);
		return 0;
	}
	if (o->bytes) {
		char chunk[16384];
		for (long long left = o->count; left > 0;) {
			ssize_t n = reader_read(r, chunk, left < (long long)sizeof chunk ? (size_t)left : sizeof chunk);
			if (n <= 0)
				break;
			out(chunk, (size_t)n);
			left -= n;
		}
		return 0;
	}
	char *s;
	size_t n;
	bool delim;
	for (long long left = o->count; left > 0 && reader_record(r, o->delim, &s, &n, &delim); left--) {
		out(s, n);
		if (delim)
			out_char(o->delim);
	}
	return 0;
}

int head_main(int argc, char **argv)
{
	struct ends o = {.count = 10, .delim = '\n'};
	ends_parse(&argc, argv, &o);
	o.from_start = false;
	return each_input(argc, argv, optind, head_file, &o);
}

static int tail_file(Reader *r, void *state)
{
	struct ends *o = state;
	title(o, r->name);
	if (o->from_start) {
		char chunk[16384], *s;
		size_t n;
		bool delim;
		long long skip = o->count > 0 ? o->count - 1 : 0;
		for (; skip > 0 && !o->bytes && reader_record(r, o->delim, &s, &n, &delim); skip--)
			;
		while (skip > 0 && o->bytes && reader_byte(r) != EOF)
			skip--;
		ssize_t k;
		while ((k = reader_read(r, chunk, sizeof chunk)) > 0)
			out(chunk, (size_t)k);
		return 0;
	}
	Text t = {0};
	text_reserve(&t, 0);
	reader_all(r, &t);
	size_t at = t.len;
	if (o->bytes)
		at = t.len > (size_t)o->count ? t.len - (size_t)o->count : 0;
	else
		for (long long n = o->count; n > 0 && at > 0; n--) {
			at--;
			while (at > 0 && t.s[at - 1] != o->delim)
				at--;
		}
	out(t.s + at, t.len - at);
	free(t.s);
	return 0;
}

int tail_main(int argc, char **argv)
{
	struct ends o = {.count = 10, .delim = '\n', .from_start = true};
	ends_parse(&argc, argv, &o);
	return each_input(argc, argv, optind, tail_file, &o);
}

/* ---- wc ---- */

struct counts {
	unsigned long long lines, words, chars, bytes, longest;
};

static struct {
	bool lines, words, chars, bytes, longest;
	int width, files;
	struct counts total;
} wc;

static void wc_print(const struct counts *n, const char *name)
{
	const char *gap = "";
#define COLUMN(on, value)                                                      \
	if (on) {                                                              \
		out_printf("%s%*llu", gap, wc.width, value);                   \
		gap = " ";                                                     \
	}
	COLUMN(wc.lines, n->lines)
	COLUMN(wc.words, n->words)
	COLUMN(wc.chars, n->chars)
	COLUMN(wc.bytes, n->bytes)
	COLUMN(wc.longest, n->longest)
#undef COLUMN
	if (name)
		out_printf(" %s", name);
	out_char('\n');
}

static int wc_file(Reader *r, void *state)
{
	(void)state;
	struct counts n = {0};
	char chunk[16384];
	ssize_t k;
	bool in_word = false;
	unsigned long long column = 0;
	while ((k = reader_read(r, chunk, sizeof chunk)) > 0) {
		n.bytes += (unsigned long long)k;
		for (ssize_t i = 0; i < k; i++) {
			unsigned char c = (unsigned char)chunk[i];
			if (c == '\n' || c == '\r' || c == '\f') {
				n.lines += c == '\n';
				if (column > n.longest)
					n.longest = column;
				column = 0;
			} else if (c == '\t')
				column += 8 - column % 8;
			else if (isprint(c))
				column++;
			if (isspace(c))
				in_word = false;
			else if (!in_word) {
				in_word = true;
				n.words++;
			}
		}
	}
	if (column > n.longest)
		n.longest = column;
	n.chars = n.bytes; /* the C locale: a byte is a character */
	wc_print(&n, wc.files ? r->name : NULL);
	wc.total.lines += n.lines;
	wc.total.words += n.words;
	wc.total.chars += n.chars;
	wc.total.bytes += n.bytes;
	if (n.longest > wc.total.longest)
		wc.total.longest = n.longest;
	return 0;
}

/* wc_width is as wide as the largest count can be, judged by file sizes. */
static int wc_width(int argc, char **argv, int first)
{
	int columns = wc.lines + wc.words + wc.chars + wc.bytes + wc.longest;
	if (columns == 1 && argc - first <= 1)
		return 1;
	unsigned long long total = 0;
	int least = 1;
	struct stat st;
	for (int i = first; i < argc || i == first; i++) {
		bool ok = i < argc && strcmp(argv[i], "-") ? stat(argv[i], &st) == 0 : fstat(0, &st) == 0;
		if (ok && S_ISREG(st.st_mode))
			total += (unsigned long long)st.st_size;
		else if (ok)
			least = 7;
	}
	int width = 1;
	for (; total >= 10; total /= 10)
		width++;
	return width > least ? width : least;
}

int wc_main(int argc, char **argv)
{
	static const struct option longs[] = {{"lines", 0, 0, 'l'}, {"words", 0, 0, 'w'}, {"bytes", 0, 0, 'c'},
					      {"chars", 0, 0, 'm'}, {"max-line-length", 0, 0, 'L'}, {0, 0, 0, 0}};
	for (int c; (c = getopt_long(argc, argv, "lwcmL", longs, NULL)) != -1;)
		switch (c) {
		case 'l': wc.lines = true; break;
		case 'w': wc.words = true; break;
		case 'c': wc.bytes = true; break;
		case 'm': wc.chars = true; break;
		case 'L': wc.longest = true; break;
		default: usage_error("bad option");
		}
	if (!wc.lines && !wc.words && !wc.bytes && !wc.chars && !wc.longest)
		wc.lines = wc.words = wc.bytes = true;
	wc.files = argc - optind;
	wc.width = wc_width(argc, argv, optind);
	int status = each_input(argc, argv, optind, wc_file, NULL);
	if (wc.files > 1)
		wc_print(&wc.total, "total");
	return status;
}

/* ---- nl ---- */

struct nl {
	char style[3]; /* body, header, footer: a t n p */
	regex_t re[3];
	const char *separator;
	const char *format;
	int width, section, join_blank, blanks;
	long long number, start, step;
	bool keep;
	char delim[3];
};

static bool nl_counts(struct nl *o, const char *s, size_t n)
{
	switch (o->style[o->section]) {
	case 'a':
		if (n == 0 && ++o->blanks < o->join_blank)
			return false;
		o->blanks = 0;
		return true;
	case 't': return n > 0;
	case 'p': {
		char *line = xmemdup(s, n);
		bool hit = regexec(&o->re[o->section], line, 0, NULL, 0) == 0;
		free(line);
		return hit;
	}
	default: return false;
	}
}

static int nl_file(Reader *r, void *state)
{
	struct nl *o = state;
	char *s;
	size_t n;
	while (reader_record(r, '\n', &s, &n, NULL)) {
		int marks = 0;
		size_t d = strlen(o->delim);
		while (d && n >= d * (size_t)(marks + 1) && !memcmp(s + d * (size_t)marks, o->delim, d))
			marks++;
		if (marks >= 1 && marks <= 3 && n == d * (size_t)marks) {
			o->section = marks == 3 ? 1 : marks == 2 ? 0 : 2;
			if (!o->keep && marks == 3)
				o->number = o->start;
			if (!o->keep && marks == 2)
				o->number = o->start;
			out_char('\n');
			continue;
		}
		if (nl_counts(o, s, n)) {
			out_printf(o->format, o->width, o->number);
			out_str(o->separator);
			o->number += o->step;
		} else
			out_printf("%*s", o->width + (int)strlen(o->separator), "");
		out_line(s, n);
	}
	return 0;
}

static void nl_style(struct nl *o, int section, const char *arg)
{
	if (!strchr("atnp", *arg) || !*arg)
		usage_error("invalid numbering style: '%s'", arg);
	o->style[section] = *arg;
	if (*arg == 'p')
		o->re[section] = compiled(arg + 1, 1);
}

int nl_main(int argc, char **argv)
{
	struct nl o = {.style = {'t', 'n', 'n'}, .separator = "\t", .format = "%*lld", .width = 6,
		       .join_blank = 1, .number = 1, .start = 1, .step = 1, .delim = "\\:"};
	for (int c; (c = getopt(argc, argv, "b:h:f:n:w:s:v:i:l:pd:")) != -1;)
		switch (c) {
		case 'b': nl_style(&o, 0, optarg); break;
		case 'h': nl_style(&o, 1, optarg); break;
		case 'f': nl_style(&o, 2, optarg); break;
		case 'n':
			o.format = !strcmp(optarg, "ln") ? "%-*lld" : !strcmp(optarg, "rz") ? "%0*lld" : "%*lld";
			break;
		case 'w': o.width = (int)parse_int(optarg, "line number field width"); break;
		case 's': o.separator = optarg; break;
		case 'v': o.number = o.start = parse_int(optarg, "starting line number"); break;
		case 'i': o.step = parse_int(optarg, "line number increment"); break;
		case 'l': o.join_blank = (int)parse_int(optarg, "line number of blank lines"); break;
		case 'p': o.keep = true; break;
		case 'd':
			snprintf(o.delim, sizeof o.delim, "%s", optarg);
			if (strlen(optarg) == 1)
				strcat(o.delim, ":");
			break;
		default: usage_error("bad option");
		}
	return each_input(argc, argv, optind, nl_file, &o);
}

/* ---- rev, fold ---- */

static int rev_file(Reader *r, void *state)
{
	(void)state;
	char *s;
	size_t n;
	bool newline;
	while (reader_record(r, '\n', &s, &n, &newline)) {
		for (size_t i = n; i > 0;) {
			/* UTF-8 sequences stay whole, as they do in any UTF-8 locale. */
			size_t end = i--;
			while (i > 0 && end - i < 4 && ((unsigned char)s[i] & 0xC0) == 0x80)
				i--;
			out(s + i, end - i);
		}
		if (newline)
			out_char('\n');
	}
	return 0;
}

int rev_main(int argc, char **argv) { return each_input(argc, argv, 1, rev_file, NULL); }

struct fold {
	size_t width;
	bool bytes, spaces;
};

static size_t fold_column(const struct fold *o, size_t column, int c)
{
	if (o->bytes)
		return column + 1;
	switch (c) {
	case '\b': return column ? column - 1 : 0;
	case '\r': return 0;
	case '\t': return column + 8 - column % 8;
	default: return column + 1;
	}
}

static int fold_file(Reader *r, void *state)
{
	const struct fold *o = state;
	char *s;
	size_t n;
	bool newline;
	while (reader_record(r, '\n', &s, &n, &newline)) {
		size_t begin = 0, column = 0;
		for (size_t i = 0; i < n; i++) {
			size_t next = fold_column(o, column, s[i]);
			if (next > o->width && i > begin) {
				size_t cut = i;
				if (o->spaces) {
					size_t k = i;
					while (k > begin && !isblank((unsigned char)s[k - 1]))
						k--;
					if (k > begin)
						cut = k;
				}
				out_line(s + begin, cut - begin);
				begin = cut;
				column = 0;
				for (size_t k = begin; k < i; k++)
					column = fold_column(o, column, s[k]);
				next = fold_column(o, column, s[i]);
			}
			column = next;
		}
		out(s + begin, n - begin);
		if (newline)
			out_char('\n');
	}
	return 0;
}

int fold_main(int argc, char **argv)
{
	static const struct option longs[] = {{"width", 1, 0, 'w'}, {"bytes", 0, 0, 'b'}, {"spaces", 0, 0, 's'}, {0, 0, 0, 0}};
	struct fold o = {.width = 80};
	if (argc > 1 && argv[1][0] == '-' && isdigit((unsigned char)argv[1][1])) {
		o.width = (size_t)parse_int(argv[1] + 1, "number of columns");
		argv[1] = "-s-"; /* consumed */
		memmove(argv + 1, argv + 2, (size_t)(argc - 1) * sizeof *argv);
		argc--;
	}
	for (int c; (c = getopt_long(argc, argv, "w:bs", longs, NULL)) != -1;)
		switch (c) {
		case 'w': {
			long long w = parse_int(optarg, "number of columns");
			if (w < 1)
				usage_error("invalid number of columns: '%s'", optarg);
			o.width = (size_t)w;
			break;
		}
		case 'b': o.bytes = true; break;
		case 's': o.spaces = true; break;
		default: usage_error("bad option");
		}
	return each_input(argc, argv, optind, fold_file, &o);
}

/* ---- yes, tee ---- */

int yes_main(int argc, char **argv)
{
	Text t = {0};
	for (int i = 1; i < argc; i++) {
		text_str(&t, argv[i]);
		text_char(&t, i + 1 < argc ? ' ' : '\n');
	}
	if (argc == 1)
		text_str(&t, "y\n");
	for (;;)
		out(t.s, t.len);
}

int tee_main(int argc, char **argv)
{
	static const struct option longs[] = {{"append", 0, 0, 'a'}, {"ignore-interrupts", 0, 0, 'i'}, {0, 0, 0, 0}};
	int flags = O_WRONLY | O_CREAT | O_TRUNC, status = 0;
	for (int c; (c = getopt_long(argc, argv, "aip", longs, NULL)) != -1;)
		switch (c) {
		case 'a': flags = O_WRONLY | O_CREAT | O_APPEND; break;
		case 'i': case 'p': break;
		default: usage_error("bad option");
		}
	int n = argc - optind;
	int *fds = xmalloc((size_t)(n + 1) * sizeof *fds);
	for (int i = 0; i < n; i++) {
		fds[i] = open_output(argv[optind + i], flags);
		if (fds[i] == -1) {
			warn_errno(argv[optind + i]);
			status = 1;
		}
	}
	Reader r;
	reader_from_fd(&r, 0, "-");
	char chunk[16384];
	ssize_t k;
	while ((k = reader_read(&r, chunk, sizeof chunk)) > 0) {
		for (int i = 0; i < n; i++)
			if (fds[i] >= 0 && !write_all(fds[i], chunk, (size_t)k)) {
				warn_errno(argv[optind + i]);
				fds[i] = -1;
				status = 1;
			}
		out(chunk, (size_t)k);
		out_flush();
	}
	return status;
}
