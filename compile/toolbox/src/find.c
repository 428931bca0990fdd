/* find.c - find and xargs: files by their properties, words into commands. */
#include "box.h"
#include "regex.h"
#include "tools.h"

#include <ctype.h>
#include <time.h>

/* ---- find ---- */

typedef enum {
	F_AND, F_OR, F_NOT, F_TRUE, F_NAME, F_PATH, F_REGEX, F_TYPE, F_SIZE, F_TIME, F_NEWER, F_EMPTY, F_PRUNE,
	F_PRINT, F_PRINT0, F_PRINTF, F_DELETE, F_EXEC, F_QUIT, F_PERM
} FindKind;

typedef struct Find {
	FindKind kind;
	struct Find *a, *b;
	const char *text;
	bool ignore_case, in_dir, many;
	char sign; /* '+', '-' or 0 */
	long long number, unit;
	Regex *re;
	char **words; /* -exec */
	int nwords;
	char **batch;
	size_t nbatch, capbatch;
} Find;

static struct {
	char **arg;
	int max, min;
	bool depth_first, acts, quit;
	int status;
	time_t now;
} fo = {.max = 1 << 30};

static Find *find_node(FindKind kind, Find *a, Find *b)
{
	Find *f = xcalloc(1, sizeof *f);
	f->kind = kind;
	f->a = a;
	f->b = b;
	return f;
}

static const char *find_value(const char *option)
{
	if (!*fo.arg)
		die(1, "missing argument to '%s'", option);
	return *fo.arg++;
}

static void find_number(Find *f, const char *s, const char *option)
{
	if (*s == '+' || *s == '-')
		f->sign = *s++;
	char *end;
	f->number = strtoll(s, &end, 10);
	f->unit = 1;
	if (f->kind == F_SIZE) {
		static const char units[] = "cwbkMG";
		static const long long sizes[] = {1, 2, 512, 1024, 1 << 20, 1 << 30};
		const char *u = *end ? strchr(units, *end) : "b";
		if (!u)
			die(1, "invalid -size type '%s'", s);
		f->unit = *end ? sizes[u - units] : 512;
		end += *end != 0;
	}
	if (end == s || *end)
		die(1, "invalid argument '%s' to '%s'", s, option);
}

static bool number_matches(const Find *f, long long v)
{
	return f->sign == '+' ? v > f->number : f->sign == '-' ? v < f->number : v == f->number;
}

static Find *find_or(void);

static Find *find_exec(const char *option)
{
	Find *f = find_node(F_EXEC, NULL, NULL);
	f->in_dir = strstr(option, "dir") != NULL;
	f->words = fo.arg;
	fo.acts = true;
	for (; *fo.arg; fo.arg++, f->nwords++) {
		if (!strcmp(*fo.arg, ";")) {
			fo.arg++;
			return f;
		}
		if (!strcmp(*fo.arg, "+") && f->nwords && !strcmp(fo.arg[-1], "{}")) {
			f->many = true;
			f->nwords--;
			fo.arg++;
			return f;
		}
	}
	die(1, "missing argument to '%s'", option);
}

static Find *find_primary(void)
{
	const char *o = *fo.arg++;
	Find *f = find_node(F_TRUE, NULL, NULL);
	if (!strcmp(o, "(")) {
		f = find_or();
		if (!*fo.arg || strcmp(*fo.arg, ")"))
			die(1, "invalid expression; I was expecting to find a ')' somewhere but did not see one.");
		fo.arg++;
		return f;
	}
	if (!strcmp(o, "!") || !strcmp(o, "-not"))
		return *fo.arg ? find_node(F_NOT, find_primary(), NULL) : (die(1, "expected an expression after '%s'", o), f);
	if (!strcmp(o, "-true"))
		return f;
	if (!strcmp(o, "-false"))
		return find_node(F_NOT, f, NULL);
	if (!strcmp(o, "-name") || !strcmp(o, "-iname") || !strcmp(o, "-path") || !strcmp(o, "-ipath") || !strcmp(o, "-wholename")) {
		f->ignore_case = o[1] == 'i';
		f->kind = strstr(o, "name") && strcmp(o, "-wholename") ? F_NAME : F_PATH;
		f->text = find_value(o);
		return f;
	}
	if (!strcmp(o, "-regex") || !strcmp(o, "-iregex")) {
		const char *why, *s = find_value(o);
		Pattern p = {s, strlen(s)};
		f->kind = F_REGEX;
		f->re = regex_compile(&p, 1, RE_WHOLE_LINE | (o[1] == 'i' ? RE_ICASE : 0), &why);
		if (!f->re)
			die(1, "%s", why);
		return f;
	}
	if (!strcmp(o, "-type")) {
		f->kind = F_TYPE;
		f->text = find_value(o);
		return f;
	}
	if (!strcmp(o, "-size")) {
		f->kind = F_SIZE;
		find_number(f, find_value(o), o);
		return f;
	}
	if (!strcmp(o, "-mtime") || !strcmp(o, "-mmin") || !strcmp(o, "-atime") || !strcmp(o, "-ctime")) {
		f->kind = F_TIME;
		find_number(f, find_value(o), o);
		f->unit = !strcmp(o, "-mmin") ? 60 : 86400;
		return f;
	}
	if (!strcmp(o, "-newer")) {
		struct stat st;
		const char *path = find_value(o);
		if (stat(path, &st) < 0)
			die_errno(1, path);
		f->kind = F_NEWER;
		f->number = (long long)st.st_mtime;
		return f;
	}
	if (!strcmp(o, "-empty"))
		return f->kind = F_EMPTY, f;
	if (!strcmp(o, "-perm") || !strcmp(o, "-user") || !strcmp(o, "-group"))
		return find_value(o), f; /* the sandbox has neither permissions nor owners */
	if (!strcmp(o, "-prune"))
		return f->kind = F_PRUNE, f;
	if (!strcmp(o, "-maxdepth") || !strcmp(o, "-mindepth")) {
		int n = (int)parse_int(find_value(o), "depth");
		*(o[2] == 'a' ? &fo.max : &fo.min) = n;
		return f;
	}
	if (!strcmp(o, "-depth") || !strcmp(o, "-d"))
		return fo.depth_first = true, f;
	if (!strcmp(o, "-follow") || !strcmp(o, "-xdev") || !strcmp(o, "-mount") || !strcmp(o, "-daystart"))
		return f;
	fo.acts = true;
	if (!strcmp(o, "-print"))
		return f->kind = F_PRINT, f;
	if (!strcmp(o, "-print0"))
		return f->kind = F_PRINT0, f;
	if (!strcmp(o, "-printf")) {
		f->kind = F_PRINTF;
		f->text = find_value(o);
		return f;
	}
	if (!strcmp(o, "-delete"))
		return fo.depth_first = true, f->kind = F_DELETE, f;
	if (!strcmp(o, "-quit"))
		return f->kind = F_QUIT, f;
	if (!strcmp(o, "-exec") || !strcmp(o, "-execdir") || !strcmp(o, "-ok"))
		return find_exec(o);
	die(1, "unknown predicate '%s'", o);
}

static Find *find_and(void)
{
	Find *f = find_primary();
	while (*fo.arg && strcmp(*fo.arg, ")") && strcmp(*fo.arg, "-o") && strcmp(*fo.arg, "-or") && strcmp(*fo.arg, ",")) {
		if (!strcmp(*fo.arg, "-a") || !strcmp(*fo.arg, "-and")) {
			fo.arg++;
			if (!*fo.arg)
				die(1, "expected an expression after '-a'");
		}
		f = find_node(F_AND, f, find_primary());
	}
	return f;
}

static Find *find_or(void)
{
	if (!*fo.arg)
		die(1, "invalid expression");
	Find *f = find_and();
	while (*fo.arg && (!strcmp(*fo.arg, "-o") || !strcmp(*fo.arg, "-or"))) {
		fo.arg++;
		if (!*fo.arg)
			die(1, "expected an expression after '-o'");
		f = find_node(F_OR, f, find_and());
	}
	return f;
}

typedef struct {
	const char *path, *base, *start;
	struct stat st;
	int depth;
	bool prune;
} Visit;

static char type_letter(mode_t m) { return S_ISDIR(m) ? 'd' : S_ISLNK(m) ? 'l' : S_ISREG(m) ? 'f' : S_ISCHR(m) ? 'c' : '?'; }

static void find_printf(const char *f, const Visit *v)
{
	for (; *f; f++) {
		if (*f == '\\' && f[1]) {
			f++;
			int c = unescape_char(&f);
			out_char(c);
			f--;
			continue;
		}
		if (*f != '%' || !f[1]) {
			out_char(*f);
			continue;
		}
		switch (*++f) {
		case 'p': out_str(v->path); break;
		case 'f': out_str(v->base); break;
		case 'P': {
			const char *rest = v->path + strlen(v->start);
			out_str(*rest == '/' ? rest + 1 : rest);
			break;
		}
		case 'h': {
			const char *slash = strrchr(v->path, '/');
			if (slash)
				out(v->path, (size_t)(slash - v->path));
			else
				out_char('.');
			break;
		}
		case 's': out_printf("%lld", (long long)v->st.st_size); break;
		case 'd': out_printf("%d", v->depth); break;
		case 'y': out_char(type_letter(v->st.st_mode)); break;
		case 'm': out_printf("%o", (unsigned)v->st.st_mode & 07777); break;
		case 'T':
			if (f[1] == '@')
				f++, out_printf("%lld.0000000000", (long long)v->st.st_mtime);
			else if (f[1]) {
				char spec[3] = {'%', *++f, 0}, buf[64];
				time_t t = v->st.st_mtime;
				strftime(buf, sizeof buf, spec, gmtime(&t));
				out_str(buf);
			}
			break;
		case '%': out_char('%'); break;
		default: out_printf("%%%c", *f);
		}
	}
}

/* with_path replaces {} inside a word. */
static char *with_path(const char *w, const char *path)
{
	Text t = {0};
	text_reserve(&t, 0);
	for (const char *p; (p = strstr(w, "{}")); w = p + 2) {
		text_add(&t, w, (size_t)(p - w));
		text_str(&t, path);
	}
	text_str(&t, w);
	return t.s;
}

static bool find_run(Find *f, const char *path)
{
	char **argv = xcalloc((size_t)f->nwords + 1, sizeof *argv);
	for (int i = 0; i < f->nwords; i++)
		argv[i] = with_path(f->words[i], path);
	int status = run_command(argv);
	if (status == 127)
		die(1, "'%s': No such file or directory", argv[0]);
	return status == 0;
}

static void find_flush(Find *f)
{
	if (!f)
		return;
	find_flush(f->a);
	find_flush(f->b);
	if (f->kind != F_EXEC || !f->many || !f->nbatch)
		return;
	char **argv = xcalloc((size_t)f->nwords + f->nbatch + 1, sizeof *argv);
	memcpy(argv, f->words, (size_t)f->nwords * sizeof *argv);
	memcpy(argv + f->nwords, f->batch, f->nbatch * sizeof *argv);
	if (run_command(argv) != 0)
		fo.status = 1;
	f->nbatch = 0;
}

static bool find_eval(Find *f, Visit *v)
{
	switch (f->kind) {
	case F_AND: return find_eval(f->a, v) && !fo.quit && find_eval(f->b, v);
	case F_OR: return find_eval(f->a, v) || (!fo.quit && find_eval(f->b, v));
	case F_NOT: return !find_eval(f->a, v);
	case F_TRUE: return true;
	case F_NAME: return glob_match(f->text, v->base, f->ignore_case);
	case F_PATH: return glob_match(f->text, v->path, f->ignore_case);
	case F_REGEX: return regex_search(f->re, v->path, strlen(v->path), 0, NULL, 0);
	case F_TYPE: return strchr(f->text, type_letter(v->st.st_mode)) != NULL;
	case F_SIZE: return number_matches(f, ((long long)v->st.st_size + f->unit - 1) / f->unit);
	case F_TIME: return number_matches(f, ((long long)fo.now - (long long)v->st.st_mtime) / f->unit);
	case F_NEWER: return (long long)v->st.st_mtime > f->number;
	case F_EMPTY: {
		if (!S_ISDIR(v->st.st_mode))
			return S_ISREG(v->st.st_mode) && v->st.st_size == 0;
		Names names = {0};
		return read_dir(v->path, &names) == 0 && names.n == 0;
	}
	case F_PRUNE: v->prune = true; return true;
	case F_PRINT: out_line(v->path, strlen(v->path)); return true;
	case F_PRINT0: out(v->path, strlen(v->path) + 1); return true;
	case F_PRINTF: find_printf(f->text, v); return true;
	case F_DELETE:
		if (!strcmp(v->path, "."))
			return true;
		if ((S_ISDIR(v->st.st_mode) ? rmdir(v->path) : unlink(v->path)) < 0) {
			warn("cannot delete '%s': %s", v->path, strerror(errno));
			fo.status = 1;
			return false;
		}
		return true;
	case F_EXEC:
		if (!f->many)
			return find_run(f, v->path);
		GROW(f->batch, f->nbatch, f->capbatch);
		f->batch[f->nbatch++] = xstrdup(v->path);
		if (f->nbatch >= 1000)
			find_flush(f);
		return true;
	case F_QUIT: fo.quit = true; return true;
	case F_PERM: return true;
	}
	return false;
}

static void find_walk(Find *f, const char *path, const char *start, int depth)
{
	Visit v = {.path = path, .base = path_base(path), .start = start, .depth = depth};
	if (lstat(path, &v.st) < 0) {
		warn("'%s': %s", path, strerror(errno));
		fo.status = 1;
		return;
	}
	if (!fo.depth_first && depth >= fo.min)
		find_eval(f, &v);
	if (S_ISDIR(v.st.st_mode) && depth < fo.max && !v.prune && !fo.quit) {
		Names names = {0};
		if (read_dir(path, &names) < 0) {
			warn("'%s': %s", path, strerror(errno));
			fo.status = 1;
		}
		for (size_t i = 0; i < names.n && !fo.quit; i++) {
			char *child = path_join(path, names.name[i]);
			find_walk(f, child, start, depth + 1);
			free(child);
		}
	}
	if (fo.depth_first && depth >= fo.min && !fo.quit)
		find_eval(f, &v);
}

int find_main(int argc, char **argv)
{
	(void)argc;
	fo.now = time(NULL);
	char **paths = argv + 1;
	while (*paths && (!strcmp(*paths, "-L") || !strcmp(*paths, "-H") || !strcmp(*paths, "-P")))
		paths++;
	char **p = paths;
	while (*p && **p != '-' && strcmp(*p, "(") && strcmp(*p, "!"))
		p++;
	fo.arg = p;
	Find *f = find_node(F_TRUE, NULL, NULL);
	if (*fo.arg)
		f = find_or();
	if (*fo.arg)
		die(1, "paths must precede expression: '%s'", *fo.arg);
	if (!fo.acts)
		f = find_node(F_AND, f, find_node(F_PRINT, NULL, NULL));
	if (p == paths)
		find_walk(f, ".", ".", 0);
	for (; paths < p && !fo.quit; paths++)
		find_walk(f, *paths, *paths, 0);
	find_flush(f);
	return fo.status;
}

/* ---- xargs ---- */

static struct {
	int delim; /* -1: blanks, with quotes */
	const char *replace, *eof;
	long long per_call, per_lines, room;
	bool no_empty, trace;
	char **fixed;
	int nfixed;
	int status;
} xo = {.delim = -1, .room = 131072};

static bool xargs_call(char **items, size_t n)
{
	char **argv = xcalloc((size_t)xo.nfixed + n + 1, sizeof *argv);
	size_t k = 0;
	for (int i = 0; i < xo.nfixed; i++) {
		if (!xo.replace || i == 0) {
			argv[k++] = xo.fixed[i];
			continue;
		}
		Text t = {0};
		text_reserve(&t, 0);
		const char *w = xo.fixed[i];
		for (const char *p; n && (p = strstr(w, xo.replace)); w = p + strlen(xo.replace)) {
			text_add(&t, w, (size_t)(p - w));
			text_str(&t, items[0]);
		}
		text_str(&t, w);
		argv[k++] = t.s;
	}
	if (!xo.replace)
		for (size_t i = 0; i < n; i++)
			argv[k++] = items[i];
	if (xo.trace) {
		for (size_t i = 0; argv[i]; i++)
			fprintf(stderr, "%s%s", i ? " " : "", argv[i]);
		fputc('\n', stderr);
	}
	Text nothing = {0};
	text_reserve(&nothing, 0);
	int status = capture_command(argv, &nothing, NULL);
	free(argv);
	if (status == 127) {
		xo.status = 127;
		return false;
	}
	if (status == 255) {
		warn("%s: exited with status 255; aborting", xo.fixed[0]);
		xo.status = 124;
		return false;
	}
	if (status)
		xo.status = 123;
	return true;
}

/* xargs_item reads the next item; 0 none, 1 an item, 2 the last of its line. */
static int xargs_item(Reader *r, Text *item)
{
	item->len = 0;
	text_reserve(item, 0);
	item->s[0] = 0;
	if (xo.delim >= 0 || xo.replace) {
		char *s;
		size_t n;
		int delim = xo.delim >= 0 ? xo.delim : '\n';
		do
			if (!reader_record(r, delim, &s, &n, NULL))
				return 0;
		while (xo.replace && xo.delim < 0 && n == 0);
		if (xo.replace && xo.delim < 0)
			while (n && isblank((unsigned char)*s))
				s++, n--;
		text_add(item, s, n);
		return 2;
	}
	int c = reader_byte(r);
	while (c != EOF && isspace(c))
		c = reader_byte(r);
	if (c == EOF)
		return 0;
	for (; c != EOF && !isspace(c); c = reader_byte(r)) {
		if (c == '\\') {
			c = reader_byte(r);
			if (c != EOF)
				text_char(item, c);
		} else if (c == '"' || c == '\'') {
			int quote = c;
			while ((c = reader_byte(r)) != quote) {
				if (c == EOF || c == '\n')
					die(1, "unmatched %s quote; by default quotes are special to xargs unless you use the -0 option",
					    quote == '"' ? "double" : "single");
				text_char(item, c);
			}
		} else
			text_char(item, c);
	}
	return c == '\n' || c == EOF ? 2 : 1;
}

int xargs_main(int argc, char **argv)
{
	int i = 1;
	const char *file = NULL;
	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		const char *a = argv[i];
		if (!strcmp(a, "--")) {
			i++;
			break;
		}
		int c = a[1];
		const char *value = a + 2;
		if (!strncmp(a, "--", 2)) {
			static const struct {
				const char *name;
				int c;
			} longs[] = {{"null", '0'}, {"delimiter=", 'd'}, {"max-args=", 'n'}, {"max-lines=", 'L'},
				     {"no-run-if-empty", 'r'}, {"verbose", 't'}, {"replace=", 'I'}, {"max-procs=", 'P'},
				     {"arg-file=", 'a'}};
			c = 0;
			for (size_t k = 0; k < sizeof longs / sizeof *longs; k++)
				if (!strncmp(a + 2, longs[k].name, strlen(longs[k].name))) {
					c = longs[k].c;
					value = a + 2 + strlen(longs[k].name);
				}
		}
		if (c && strchr("dnLIPaEsl", c) && !*value && c != 'l') {
			if (++i >= argc)
				usage_error("option requires an argument -- '%c'", c);
			value = argv[i];
		}
		switch (c) {
		case '0': xo.delim = 0; break;
		case 'd': xo.delim = *value == '\\' ? (value++, unescape_char(&value)) : (unsigned char)*value; break;
		case 'n': xo.per_call = parse_int(value, "number for -n"); xo.replace = NULL; break;
		case 'L': xo.per_lines = parse_int(value, "number for -L"); break;
		case 'l': xo.per_lines = *value ? parse_int(value, "number for -l") : 1; break;
		case 'I': xo.replace = value; break;
		case 'i': xo.replace = *value ? value : "{}"; break;
		case 'r': xo.no_empty = true; break;
		case 't': xo.trace = true; break;
		case 's': xo.room = parse_int(value, "number for -s"); break;
		case 'E': xo.eof = value; break;
		case 'a': file = value; break;
		case 'P': case 'x': break; /* one at a time: the order of the output is part of the result */
		default: usage_error("bad option '%s'", a);
		}
	}
	static char *echo[] = {"echo", NULL};
	xo.fixed = i < argc ? argv + i : echo;
	for (xo.nfixed = 0; xo.fixed[xo.nfixed]; xo.nfixed++)
		;
	Reader r;
	if (!reader_open(&r, file ? file : "-"))
		return 1;
	char **items = NULL;
	size_t n = 0, cap = 0;
	long long lines = 0, used = 0;
	bool ran = false;
	Text item = {0};
	for (int kind; (kind = xargs_item(&r, &item));) {
		if (xo.eof && !strcmp(item.s, xo.eof))
			break;
		if (n && !xo.replace && used + (long long)item.len + 1 > xo.room) {
			if (!xargs_call(items, n))
				return xo.status;
			ran = true;
			n = 0;
			lines = used = 0;
		}
		GROW(items, n, cap);
		items[n++] = xmemdup(item.s, item.len);
		used += (long long)item.len + 1;
		lines += kind == 2;
		if (xo.replace || (xo.per_call && (long long)n >= xo.per_call) || (xo.per_lines && lines >= xo.per_lines)) {
			if (!xargs_call(items, n))
				return xo.status;
			ran = true;
			n = 0;
			lines = used = 0;
		}
	}
	if (n || (!ran && !xo.no_empty && !xo.replace))
		xargs_call(items, n);
	return xo.status;
}
