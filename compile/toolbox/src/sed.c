/* sed.c - sed: the stream editor, as POSIX has it with the GNU additions that
 * scripts use (-i -E -s -z, a/i/c on one line, 0,/re/, first~step, addr,+n,
 * addr,~n, s///I M e-less flags, \U \L \u \l \E, T, F, z, Q, R, W). */
#include "box.h"
#include "regex.h"
#include "tools.h"

#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>

typedef enum { A_NONE, A_LINE, A_LAST, A_REGEX, A_STEP, A_PLUS, A_MULTIPLE, A_ZERO } AddressKind;

typedef struct {
	AddressKind kind;
	unsigned long long line, step;
	Regex *re; /* NULL: the last one used */
} Address;

typedef struct Cmd {
	Address a1, a2;
	bool negate;
	bool in_range;
	unsigned long long range_end;
	char name;
	int target;           /* { } b t T: where to go */
	char *label;
	Text text;            /* a i c, and replacement of s */
	Regex *re;            /* s */
	bool global, print, eval;
	unsigned long long nth;
	int out;              /* w file, index into files; -1 none */
	unsigned char map[256]; /* y */
	long long number;     /* q Q l L exit code or width */
} Cmd;

typedef struct {
	const char *name;
	int fd;
	Text pending; /* written at exit or when large */
	Reader reader; /* for R */
	bool reading, read_open;
} OutFile;

static struct {
	Cmd *cmds;
	size_t ncmds, capcmds;
	OutFile *files;
	size_t nfiles, capfiles;
	bool quiet, extended, separate, in_place, null_data, posix, debug;
	const char *backup;
	Regex *last_re;
	/* input */
	char **inputs;
	int ninputs, at_input;
	Reader in;
	bool open, failed;
	const char *in_name;
	Text next;
	bool have_next, next_newline;
	unsigned long long line;
	/* in-place editing */
	Text edited;
	/* spaces */
	Text pattern, hold;
	bool newline; /* the current line ended in one */
	bool owes_newline;
	Text append;  /* text queued by a, r, R */
	bool replaced, quit;
	int status;
	int delim;
} sed = {.delim = '\n'};

/* ---- parsing ---- */

static const char *sp, *sp_start;
static int open_blocks[256], nblocks;

static void bad_script(const char *why) { die(1, "-e expression #1, char %d: %s", (int)(sp - sp_start), why); }

static void skip_space(void)
{
	while (*sp == ' ' || *sp == '\t')
		sp++;
}

static void skip_separators(void)
{
	while (*sp == ' ' || *sp == '\t' || *sp == '\n' || *sp == ';')
		sp++;
}

/* delimited reads up to an unescaped delimiter. A regex keeps its escapes
 * except for the delimiter's own; \n becomes a newline where asked. */
static Text delimited(char delim, bool regex)
{
	Text t = {0};
	text_reserve(&t, 0);
	bool bracket = false;
	const char *bracket_start = NULL;
	for (;; sp++) {
		if (!*sp)
			bad_script(regex ? "unterminated address regex" : "unterminated `s' command");
		if (bracket) {
			if (*sp == ']' && sp > bracket_start)
				bracket = false;
			else if (*sp == '[' && (sp[1] == ':' || sp[1] == '.' || sp[1] == '=')) {
				char kind = sp[1];
				const char *end = sp + 2;
				while (*end && !(end[0] == kind && end[1] == ']'))
					end++;
				if (*end) {
					text_add(&t, sp, (size_t)(end + 1 - sp));
					sp = end + 1;
				}
			}
			text_char(&t, *sp);
			continue;
		}
		if (*sp == delim) {
			sp++;
			return t;
		}
		if (*sp == '\\') {
			sp++;
			if (!*sp)
				bad_script("unterminated command");
			if (*sp == delim) {
				/* The delimiter loses its special meaning (s|a\|b|x|), but a
				 * character special to the regex keeps its backslash. */
				if (regex && strchr(".*[]^$+?(){}", delim))
					text_char(&t, '\\');
				text_char(&t, delim);
				continue;
			}
			if (regex && *sp == 'n') {
				text_str(&t, "\\n");
				continue;
			}
			text_char(&t, '\\');
			text_char(&t, *sp);
			continue;
		}
		if (regex && *sp == '[') {
			bracket = true;
			text_char(&t, *sp);
			bracket_start = sp + 1;
			if (sp[1] == '^') {
				sp++;
				text_char(&t, *sp);
				bracket_start = sp + 1;
			}
			if (sp[1] == ']') {
				sp++;
				text_char(&t, *sp);
				bracket_start = sp;
			}
			continue;
		}
		text_char(&t, *sp);
	}
}

static Regex *compile(const Text *t, int flags)
{
	if (t->len == 0)
		return NULL; /* the last one used */
	const char *why;
	Pattern p = {t->s, t->len};
	Regex *re = regex_compile(&p, 1, flags | RE_SED | (sed.extended ? RE_EXTENDED : 0), &why);
	if (!re)
		bad_script(why);
	return re;
}

static bool parse_address(Address *a, bool second)
{
	if (isdigit((unsigned char)*sp)) {
		a->kind = A_LINE;
		a->line = strtoull(sp, (char **)&sp, 10);
		if (*sp == '~' && !second) {
			sp++;
			a->kind = A_STEP;
			a->step = strtoull(sp, (char **)&sp, 10);
		} else if (a->line == 0 && !second)
			a->kind = A_ZERO;
		return true;
	}
	if (*sp == '$') {
		sp++;
		a->kind = A_LAST;
		return true;
	}
	if (second && (*sp == '+' || *sp == '~')) {
		a->kind = *sp == '+' ? A_PLUS : A_MULTIPLE;
		sp++;
		if (!isdigit((unsigned char)*sp))
			bad_script("expected a number");
		a->line = strtoull(sp, (char **)&sp, 10);
		return true;
	}
	if (*sp == '/' || *sp == '\\') {
		char delim = '/';
		if (*sp++ == '\\')
			delim = *sp++;
		Text t = delimited(delim, true);
		int flags = 0;
		for (;; sp++) {
			if (*sp == 'I')
				flags |= RE_ICASE;
			else if (*sp == 'M')
				flags |= RE_MULTILINE;
			else
				break;
		}
		a->kind = A_REGEX;
		a->re = compile(&t, flags);
		return true;
	}
	return false;
}

static int out_file(const char *name)
{
	for (size_t i = 0; i < sed.nfiles; i++)
		if (!strcmp(sed.files[i].name, name) && !sed.files[i].reading)
			return (int)i;
	int fd = open_output(name, O_WRONLY | O_CREAT | O_TRUNC);
	if (fd == -1)
		die(4, "couldn't open file %s: %s", name, strerror(errno));
	GROW(sed.files, sed.nfiles, sed.capfiles);
	sed.files[sed.nfiles] = (OutFile){.name = name, .fd = fd};
	return (int)sed.nfiles++;
}

static char *rest_of_line(void)
{
	skip_space();
	const char *end = strchr(sp, '\n');
	size_t n = end ? (size_t)(end - sp) : strlen(sp);
	char *s = xmemdup(sp, n);
	sp += n;
	return s;
}

static void parse_flags(Cmd *c, const Text *pattern)
{
	int flags = 0;
	for (;; sp++) {
		if (*sp == 'g')
			c->global = true;
		else if (*sp == 'p')
			c->print = true;
		else if (*sp == 'i' || *sp == 'I')
			flags |= RE_ICASE;
		else if (*sp == 'm' || *sp == 'M')
			flags |= RE_MULTILINE;
		else if (*sp == 'e')
			bad_script("the e flag runs commands and is not available here");
		else if (isdigit((unsigned char)*sp)) {
			c->nth = strtoull(sp, (char **)&sp, 10);
			if (c->nth == 0)
				bad_script("number option to `s' command may not be zero");
			sp--;
		} else
			break;
	}
	c->re = compile(pattern, flags);
	if (*sp == 'w') {
		sp++;
		c->out = out_file(rest_of_line());
	}
}

/* parse_text reads the text of a, i and c: after "a\" and a newline, or on the
 * same line as GNU sed allows. */
static void parse_text(Cmd *c)
{
	skip_space();
	if (*sp == '\\') {
		const char *p = sp + 1;
		while (*p == ' ' || *p == '\t')
			p++;
		if (*p == '\n')
			sp = p + 1;
		else
			sp = p; /* a\text keeps leading blanks after the backslash */
		if (!*p) { /* a\ at the very end adds nothing */
			sp = p;
			text_reserve(&c->text, 0);
			return;
		}
	}
	if (!*sp)
		bad_script("expected \\ after `a', `c' or `i'");
	text_reserve(&c->text, 0);
	for (; *sp && *sp != '\n'; sp++) {
		if (*sp == '\\' && sp[1]) {
			sp++;
			if (*sp == 't' ) {
				text_char(&c->text, '\t');
				continue;
			}
		}
		text_char(&c->text, *sp);
	}
	text_char(&c->text, '\n');
}

static void end_of_command(void)
{
	skip_space();
	if (*sp == '#')
		while (*sp && *sp != '\n')
			sp++;
	if (*sp == ';' || *sp == '\n')
		sp++;
	else if (*sp && *sp != '}')
		bad_script("extra characters after command");
}

/* parse_command reads one command; false at the end of the script. */
static bool parse_command(void)
{
	skip_separators();
	while (*sp == '#') {
		if (sp == sp_start && sp[1] == 'n' && (sp[2] == '\n' || !sp[2]))
			sed.quiet = true;
		while (*sp && *sp != '\n')
			sp++;
		skip_separators();
	}
	if (!*sp)
		return false;
	GROW(sed.cmds, sed.ncmds, sed.capcmds);
	size_t index = sed.ncmds++;
	Cmd *c = &sed.cmds[index];
	memset(c, 0, sizeof *c);
	c->out = -1;
	c->number = -1;
	if (parse_address(&c->a1, false)) {
		skip_space();
		if (*sp == ',') {
			sp++;
			skip_space();
			if (!parse_address(&c->a2, true))
				bad_script("unexpected `,'");
			if (c->a1.kind == A_ZERO && c->a2.kind != A_REGEX)
				bad_script("invalid usage of line address 0");
		} else if (c->a1.kind == A_ZERO)
			bad_script("invalid usage of line address 0");
	}
	skip_space();
	while (*sp == '!') {
		c->negate = true;
		sp++;
		skip_space();
	}
	if (!*sp)
		bad_script("missing command");
	c->name = *sp++;
	switch (c->name) {
	case '{':
		if (nblocks == (int)(sizeof open_blocks / sizeof *open_blocks))
			bad_script("blocks nest too deeply");
		open_blocks[nblocks++] = (int)index;
		return true;
	case '}':
		if (nblocks == 0)
			bad_script("unexpected `}'");
		if (c->a1.kind)
			bad_script("} doesn't want any addresses");
		sed.cmds[open_blocks[--nblocks]].target = (int)index;
		break;
	case 's': {
		char delim = *sp++;
		if (!delim || delim == '\n' || delim == '\\')
			bad_script("unterminated `s' command");
		Text pattern = delimited(delim, true);
		c->text = delimited(delim, false);
		parse_flags(c, &pattern);
		break;
	}
	case 'y': {
		char delim = *sp++;
		if (!delim)
			bad_script("unterminated `y' command");
		Text set[2], plain[2] = {{0}, {0}};
		for (int i = 0; i < 2; i++) {
			set[i] = delimited(delim, false);
			text_reserve(&plain[i], 0);
			for (const char *p = set[i].s; *p; p++) {
				if (*p == '\\' && p[1]) {
					p++;
					text_char(&plain[i], *p == 'n' ? '\n' : *p == 't' ? '\t' : *p);
					if (!strchr("nt\\", *p)) {
						plain[i].len--;
						text_char(&plain[i], '\\');
						text_char(&plain[i], *p);
					}
				} else
					text_char(&plain[i], *p);
			}
		}
		if (plain[0].len != plain[1].len)
			bad_script("strings for `y' command are different lengths");
		for (int k = 0; k < 256; k++)
			c->map[k] = (unsigned char)k;
		for (size_t k = 0; k < plain[0].len; k++)
			c->map[(unsigned char)plain[0].s[k]] = (unsigned char)plain[1].s[k];
		break;
	}
	case 'a': case 'i': case 'c':
		parse_text(c);
		return true;
	case ':': {
		if (c->a1.kind)
			bad_script(": doesn't want any addresses");
		skip_space();
		size_t n = strcspn(sp, "; \t\n");
		if (n == 0)
			bad_script("\":\" lacks a label");
		c->label = xmemdup(sp, n);
		sp += n;
		break;
	}
	case 'b': case 't': case 'T': {
		skip_space();
		size_t n = strcspn(sp, ";}\n \t");
		c->label = n ? xmemdup(sp, n) : NULL;
		sp += n;
		break;
	}
	case 'r': case 'R':
		c->label = rest_of_line();
		if (!*c->label)
			bad_script("missing filename in r/R/w/W commands");
		if (c->name == 'R') {
			GROW(sed.files, sed.nfiles, sed.capfiles);
			sed.files[sed.nfiles] = (OutFile){.name = c->label, .reading = true};
			c->out = (int)sed.nfiles++;
		}
		break;
	case 'w': case 'W': {
		char *name = rest_of_line();
		if (!*name)
			bad_script("missing filename in r/R/w/W commands");
		c = &sed.cmds[index];
		c->out = out_file(name);
		break;
	}
	case 'q': case 'Q': case 'l': case 'L':
		skip_space();
		if (isdigit((unsigned char)*sp))
			c->number = strtoll(sp, (char **)&sp, 10);
		break;
	case '=': case 'd': case 'D': case 'g': case 'G': case 'h': case 'H': case 'n': case 'N': case 'p': case 'P':
	case 'x': case 'z': case 'F':
		break;
	case 'e': bad_script("the e command runs commands and is not available here"); break;
	default: {
		char why[32];
		snprintf(why, sizeof why, "unknown command: `%c'", c->name);
		bad_script(why);
	}
	}
	end_of_command();
	return true;
}

static void resolve_labels(void)
{
	for (size_t i = 0; i < sed.ncmds; i++) {
		Cmd *c = &sed.cmds[i];
		if (!strchr("btT", c->name))
			continue;
		c->target = (int)sed.ncmds;
		for (size_t k = 0; c->label && k < sed.ncmds; k++)
			if (sed.cmds[k].name == ':' && !strcmp(sed.cmds[k].label, c->label))
				c->target = (int)k;
		if (c->label && c->target == (int)sed.ncmds)
			die(1, "-e expression #1, char %d: can't find label for jump to `%s'", (int)(sp - sp_start), c->label);
	}
}

/* ---- input and output ---- */

/* put writes to the output. After a line whose newline was missing in the
 * input, whatever follows starts on a line of its own. */
static void put(const char *s, size_t n)
{
	if (sed.owes_newline && n) {
		char d = (char)sed.delim;
		sed.owes_newline = false;
		put(&d, 1);
	}
	if (sed.in_place)
		text_add(&sed.edited, s, n);
	else
		out(s, n);
}

static void put_record(const Text *t, bool newline)
{
	put(t->s, t->len);
	char d = (char)sed.delim;
	if (newline)
		put(&d, 1);
	else
		sed.owes_newline = true;
}

static void write_file(int i, const char *s, size_t n)
{
	OutFile *f = &sed.files[i];
	if (f->fd == 1) {
		put(s, n);
		return;
	}
	text_add(&f->pending, s, n);
	if (f->pending.len > 1 << 16 || f->fd == 2) {
		write_all(f->fd, f->pending.s, f->pending.len);
		f->pending.len = 0;
	}
}

static void flush_files(void)
{
	for (size_t i = 0; i < sed.nfiles; i++)
		if (!sed.files[i].reading && sed.files[i].pending.len) {
			write_all(sed.files[i].fd, sed.files[i].pending.s, sed.files[i].pending.len);
			sed.files[i].pending.len = 0;
		}
}

static void finish_in_place(void)
{
	if (!sed.in_place || !sed.in_name)
		return;
	if (sed.backup && *sed.backup) {
		Text name = {0};
		const char *star = strchr(sed.backup, '*');
		if (star) {
			text_add(&name, sed.backup, (size_t)(star - sed.backup));
			text_str(&name, path_base(sed.in_name));
			text_str(&name, star + 1);
		} else {
			text_str(&name, sed.in_name);
			text_str(&name, sed.backup);
		}
		Text old = {0};
		text_reserve(&old, 0);
		int fd = slurp(sed.in_name, &old) ? open(name.s, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
		if (fd < 0 || !write_all(fd, old.s, old.len))
			die(4, "cannot write %s: %s", name.s, strerror(errno));
		close(fd);
	}
	int fd = open(sed.in_name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || !write_all(fd, sed.edited.s ? sed.edited.s : "", sed.edited.len))
		die(4, "couldn't edit %s: %s", sed.in_name, strerror(errno));
	close(fd);
	sed.edited.len = 0;
	sed.owes_newline = false;
	sed.in_name = NULL;
}

/* fetch reads one line ahead, so that $ is known; false when all is read. */
static bool fetch(bool across_files)
{
	while (!sed.have_next) {
		if (!sed.open) {
			if (sed.at_input >= sed.ninputs)
				return false;
			const char *name = sed.inputs[sed.at_input++];
			if (sed.in_place && !strcmp(name, "-"))
				die(1, "couldn't edit -: not a regular file");
			if (!reader_open(&sed.in, name)) {
				sed.status = 2;
				continue;
			}
			sed.open = true;
			if (sed.in_place)
				sed.in_name = name;
			if (sed.separate)
				sed.line = 0;
		}
		char *s;
		size_t n;
		bool had;
		if (reader_record(&sed.in, sed.delim, &s, &n, &had)) {
			sed.next.len = 0;
			text_add(&sed.next, s, n);
			sed.next_newline = had;
			sed.have_next = true;
			return true;
		}
		if (sed.separate && !across_files)
			return false;
		reader_close(&sed.in);
		sed.open = false;
		finish_in_place();
	}
	return true;
}

static bool is_last(void) { return !fetch(false); }

static bool next_line(bool append)
{
	if (!fetch(true))
		return false;
	if (append)
		text_char(&sed.pattern, sed.delim);
	else
		sed.pattern.len = 0;
	text_add(&sed.pattern, sed.next.s, sed.next.len);
	sed.newline = sed.next_newline;
	sed.have_next = false;
	sed.line++;
	return true;
}

/* flush_append writes what a, r and R queued. */
static void flush_append(void)
{
	if (sed.append.len)
		put(sed.append.s, sed.append.len);
	sed.append.len = 0;
}

/* ---- running ---- */

static Regex *regex_or_last(Regex *re)
{
	if (!re) {
		if (!sed.last_re)
			die(1, "no previous regular expression");
		return sed.last_re;
	}
	return sed.last_re = re;
}

static bool address_matches(const Address *a)
{
	switch (a->kind) {
	case A_LINE: return sed.line == a->line;
	case A_LAST: return is_last();
	case A_STEP: return a->step == 0 ? sed.line == a->line : sed.line >= a->line && (sed.line - a->line) % a->step == 0;
	case A_REGEX: return regex_search(regex_or_last(a->re), sed.pattern.s, sed.pattern.len, 0, NULL, 0);
	default: return false;
	}
}

static bool selected(Cmd *c)
{
	if (c->a1.kind == A_NONE)
		return true;
	if (c->a2.kind == A_NONE)
		return address_matches(&c->a1);
	if (c->in_range) {
		switch (c->a2.kind) {
		case A_LINE: case A_PLUS: case A_MULTIPLE:
			if (sed.line >= c->range_end)
				c->in_range = false;
			return sed.line <= c->range_end;
		default:
			if (address_matches(&c->a2))
				c->in_range = false;
			return true;
		}
	}
	if (c->a1.kind == A_ZERO) {
		if (sed.line != 1 || c->range_end)
			return false;
		c->range_end = 1; /* started once */
		c->in_range = !address_matches(&c->a2);
		return true;
	}
	if (!address_matches(&c->a1))
		return false;
	switch (c->a2.kind) {
	case A_LINE: c->range_end = c->a2.line; c->in_range = sed.line < c->range_end; break;
	case A_PLUS: c->range_end = sed.line + c->a2.line; c->in_range = c->a2.line > 0; break;
	case A_MULTIPLE:
		c->range_end = c->a2.line ? (sed.line + c->a2.line - 1) / c->a2.line * c->a2.line : sed.line;
		c->in_range = sed.line < c->range_end;
		break;
	case A_LAST: c->in_range = !is_last(); break;
	default: c->in_range = true;
	}
	return true;
}

/* Letter case as \U \L \u \l \E ask for it. */
typedef struct {
	char lasting, once;
} Case;

static void add_cased(Text *t, const char *s, size_t n, Case *k)
{
	for (size_t i = 0; i < n; i++) {
		int c = (unsigned char)s[i];
		if (k->lasting == 'U')
			c = toupper(c);
		else if (k->lasting == 'L')
			c = tolower(c);
		if (k->once) {
			c = k->once == 'u' ? toupper((unsigned char)s[i]) : tolower((unsigned char)s[i]);
			k->once = 0;
		}
		text_char(t, c);
	}
}

static void replacement(Text *result, const Text *r, const char *s, const Span *m)
{
	Case k = {0, 0};
	const char *end = r->s + r->len;
	for (const char *p = r->s; p < end; p++) {
		int group = -1;
		if (*p == '&')
			group = 0;
		else if (*p == '\\' && p + 1 < end) {
			p++;
			if (isdigit((unsigned char)*p))
				group = *p - '0';
			else if (strchr("ULE", *p)) {
				k.lasting = *p == 'E' ? 0 : *p;
				k.once = 0;
				continue;
			} else if (*p == 'u' || *p == 'l') {
				k.once = *p;
				continue;
			} else if (strchr("ntrfvax", *p)) {
				char c = (char)unescape_char(&p);
				p--;
				add_cased(result, &c, 1, &k);
				continue;
			} else if (*p == 'c' || *p == 'o' || *p == 'd') {
				add_cased(result, p, 1, &k);
				continue;
			}
		}
		if (group < 0)
			add_cased(result, p, 1, &k);
		else if (m[group].start >= 0)
			add_cased(result, s + m[group].start, (size_t)(m[group].end - m[group].start), &k);
	}
}

static void substitute(Cmd *c)
{
	static Text result;
	Regex *re = regex_or_last(c->re);
	Span m[RE_MAX_GROUPS];
	size_t at = 0, copied = 0;
	unsigned long long count = 0;
	bool done = false;
	ptrdiff_t last_end = -1;
	result.len = 0;
	text_reserve(&result, 0);
	while (at <= sed.pattern.len && regex_search(re, sed.pattern.s, sed.pattern.len, at, m, RE_MAX_GROUPS)) {
		bool empty = m[0].start == m[0].end;
		if (empty && m[0].start == last_end) { /* not right after a match */
			at = (size_t)m[0].end + 1;
			continue;
		}
		last_end = m[0].end;
		count++;
		if (count >= (c->nth ? c->nth : 1)) {
			text_add(&result, sed.pattern.s + copied, (size_t)m[0].start - copied);
			replacement(&result, &c->text, sed.pattern.s, m);
			copied = (size_t)m[0].end;
			done = true;
			if (!c->global)
				break;
		}
		at = empty ? (size_t)m[0].end + 1 : (size_t)m[0].end;
	}
	if (!done)
		return;
	text_add(&result, sed.pattern.s + copied, sed.pattern.len - copied);
	Text swap = sed.pattern;
	sed.pattern = result;
	result = swap;
	sed.replaced = true;
	if (c->print)
		put_record(&sed.pattern, sed.newline);
	if (c->out >= 0) {
		write_file(c->out, sed.pattern.s, sed.pattern.len);
		write_file(c->out, "\n", 1);
	}
}

static void list_line(long long width)
{
	if (width < 0)
		width = 70;
	Text t = {0};
	text_reserve(&t, 0);
	long long column = 0;
	for (size_t i = 0; i < sed.pattern.len; i++) {
		unsigned char c = (unsigned char)sed.pattern.s[i];
		char buf[8];
		static const char from[] = "\\\a\b\f\n\r\t\v", to[] = "\\abfnrtv";
		const char *e = c ? strchr(from, c) : NULL;
		if (e)
			snprintf(buf, sizeof buf, "\\%c", to[e - from]);
		else if (isprint(c))
			snprintf(buf, sizeof buf, "%c", c);
		else
			snprintf(buf, sizeof buf, "\\%03o", c);
		long long n = (long long)strlen(buf);
		if (width > 1 && column + n > width - 1) {
			text_str(&t, "\\\n");
			column = 0;
		}
		text_str(&t, buf);
		column += n;
	}
	text_str(&t, "$\n");
	put(t.s, t.len);
	free(t.s);
}

static void read_line_of(OutFile *f)
{
	if (!f->read_open) {
		struct stat st;
		if (stat(f->name, &st) < 0 || !reader_open(&f->reader, f->name))
			return;
		f->read_open = true;
	}
	char *s;
	size_t n;
	if (reader_record(&f->reader, '\n', &s, &n, NULL)) {
		text_add(&sed.append, s, n);
		text_char(&sed.append, '\n');
	}
}

typedef enum { END_CYCLE, RESTART, DELETED } After;

/* end_cycle prints the pattern space and queued text. */
static void end_cycle(void)
{
	if (!sed.quiet)
		put_record(&sed.pattern, sed.newline);
	flush_append();
}

static After run_script(void)
{
	for (size_t pc = 0; pc < sed.ncmds; pc++) {
		Cmd *c = &sed.cmds[pc];
		if (c->name == '}' || c->name == ':')
			continue;
		if (selected(c) == c->negate) {
			if (c->name == '{')
				pc = (size_t)c->target;
			continue;
		}
		switch (c->name) {
		case '{': break;
		case 's': substitute(c); break;
		case 'y':
			for (size_t i = 0; i < sed.pattern.len; i++)
				sed.pattern.s[i] = (char)c->map[(unsigned char)sed.pattern.s[i]];
			break;
		case 'a': text_add(&sed.append, c->text.s, c->text.len); break;
		case 'i': put(c->text.s, c->text.len); break;
		case 'c':
			if (c->a2.kind == A_NONE || c->negate || !c->in_range)
				put(c->text.s, c->text.len);
			return DELETED;
		case 'd': return DELETED;
		case 'D': {
			char *nl = memchr(sed.pattern.s, '\n', sed.pattern.len);
			if (!nl)
				return DELETED;
			size_t n = (size_t)(nl - sed.pattern.s) + 1;
			memmove(sed.pattern.s, sed.pattern.s + n, sed.pattern.len - n);
			sed.pattern.len -= n;
			sed.pattern.s[sed.pattern.len] = 0;
			return RESTART;
		}
		case 'p': put_record(&sed.pattern, sed.newline); break;
		case 'P': {
			char *nl = memchr(sed.pattern.s, '\n', sed.pattern.len);
			put(sed.pattern.s, nl ? (size_t)(nl - sed.pattern.s) : sed.pattern.len);
			put("\n", 1);
			break;
		}
		case 'h': sed.hold.len = 0; text_add(&sed.hold, sed.pattern.s, sed.pattern.len); break;
		case 'H': text_char(&sed.hold, '\n'); text_add(&sed.hold, sed.pattern.s, sed.pattern.len); break;
		case 'g': sed.pattern.len = 0; text_add(&sed.pattern, sed.hold.s, sed.hold.len); break;
		case 'G': text_char(&sed.pattern, '\n'); text_add(&sed.pattern, sed.hold.s, sed.hold.len); break;
		case 'x': {
			Text t = sed.pattern;
			sed.pattern = sed.hold;
			sed.hold = t;
			break;
		}
		case 'n':
			if (!fetch(true)) {
				if (sed.posix)
					sed.quiet = true;
				sed.quit = true;
				return END_CYCLE;
			}
			end_cycle();
			next_line(false);
			break;
		case 'N':
			if (!fetch(true)) { /* GNU prints the pattern space, POSIX does not */
				sed.quit = true;
				return sed.posix ? DELETED : END_CYCLE;
			}
			flush_append();
			next_line(true);
			break;
		case '=': {
			char buf[32];
			put(buf, (size_t)snprintf(buf, sizeof buf, "%llu\n", sed.line));
			break;
		}
		case 'l': case 'L': list_line(c->number); break;
		case 'b': pc = (size_t)c->target; break;
		case 't':
			if (sed.replaced) {
				sed.replaced = false;
				pc = (size_t)c->target;
			}
			break;
		case 'T':
			if (!sed.replaced)
				pc = (size_t)c->target;
			sed.replaced = false;
			break;
		case 'r': {
			if (!strcmp(c->label, "/dev/null"))
				break;
			struct stat st;
			Text t = {0};
			text_reserve(&t, 0);
			if ((!strcmp(c->label, "/dev/stdin") || stat(c->label, &st) == 0) && slurp(c->label, &t))
				text_add(&sed.append, t.s, t.len);
			free(t.s);
			break;
		}
		case 'R': read_line_of(&sed.files[c->out]); break;
		case 'w':
			write_file(c->out, sed.pattern.s, sed.pattern.len);
			write_file(c->out, "\n", 1);
			break;
		case 'W': {
			char *nl = memchr(sed.pattern.s, '\n', sed.pattern.len);
			write_file(c->out, sed.pattern.s, nl ? (size_t)(nl - sed.pattern.s) : sed.pattern.len);
			write_file(c->out, "\n", 1);
			break;
		}
		case 'z': sed.pattern.len = 0; text_reserve(&sed.pattern, 0); break;
		case 'F': {
			const char *name = sed.in.name && strcmp(sed.in.name, "-") ? sed.in.name : "-";
			put(name, strlen(name));
			put("\n", 1);
			break;
		}
		case 'q': case 'Q':
			sed.quit = true;
			if (c->number >= 0)
				sed.status = (int)c->number;
			return c->name == 'q' ? END_CYCLE : DELETED;
		}
	}
	return END_CYCLE;
}

static void run(void)
{
	text_reserve(&sed.pattern, 0);
	text_reserve(&sed.hold, 0);
	bool restart = false;
	while (!sed.quit) {
		if (!restart && !next_line(false))
			break;
		sed.replaced = restart ? sed.replaced : false;
		After after = run_script();
		restart = false;
		switch (after) {
		case END_CYCLE: end_cycle(); break;
		case DELETED: flush_append(); break;
		case RESTART: flush_append(); restart = true; break;
		}
	}
	if (sed.in_place && sed.open) { /* after q the rest is kept */
		Text rest = {0};
		text_reserve(&rest, 0);
		if (sed.have_next) {
			put_record(&sed.next, sed.next_newline);
			sed.have_next = false;
		}
		reader_all(&sed.in, &rest);
		put(rest.s, rest.len);
		finish_in_place();
	}
	flush_files();
}

int sed_main(int argc, char **argv)
{
	static const struct option longs[] = {{"quiet", 0, 0, 'n'}, {"silent", 0, 0, 'n'}, {"expression", 1, 0, 'e'},
					      {"file", 1, 0, 'f'}, {"regexp-extended", 0, 0, 'E'}, {"in-place", 2, 0, 'i'},
					      {"separate", 0, 0, 's'}, {"null-data", 0, 0, 'z'}, {"posix", 0, 0, 1},
					      {"unbuffered", 0, 0, 'u'}, {0, 0, 0, 0}};
	static Text script;
	bool given = false;
	for (int c; (c = getopt_long(argc, argv, "ne:f:Eri::szu", longs, NULL)) != -1;)
		switch (c) {
		case 'n': sed.quiet = true; break;
		case 'e':
			if (given)
				text_char(&script, '\n');
			text_str(&script, optarg);
			given = true;
			break;
		case 'f':
			if (given)
				text_char(&script, '\n');
			text_reserve(&script, 0);
			if (!slurp(optarg, &script))
				return 1;
			if (script.len && script.s[script.len - 1] == '\n')
				script.s[--script.len] = 0;
			given = true;
			break;
		case 'E': case 'r': sed.extended = true; break;
		case 'i': sed.in_place = sed.separate = true; sed.backup = optarg; break;
		case 's': sed.separate = true; break;
		case 'z': sed.delim = 0; break;
		case 'u': break;
		case 1: sed.posix = true; break;
		default: usage_error("bad option");
		}
	if (!given) {
		if (optind >= argc)
			usage_error("missing script");
		text_str(&script, argv[optind++]);
	}
	text_reserve(&script, 0);
	sp = sp_start = script.s;
	while (parse_command())
		;
	if (nblocks)
		die(1, "-e expression #1, char 0: unmatched `{'");
	resolve_labels();
	static char *none[] = {"-", NULL};
	sed.inputs = optind < argc ? argv + optind : none;
	sed.ninputs = optind < argc ? argc - optind : 1;
	run();
	return sed.status;
}
