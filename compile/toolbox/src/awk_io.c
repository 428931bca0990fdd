/* awk_io.c - records, fields, redirections and formatted output: see awk.h. */
#include "awk.h"
#include "tools.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>

/* ---- record and fields ---- */

static struct {
	Str *text;     /* $0; NULL when it must be rebuilt from the fields */
	Value *field;  /* 1 … nf */
	size_t cap;
	long nf;
	bool split;    /* the fields are up to date with text */
	bool numeric_known;
	Value whole;   /* $0 as a value */
} rec = {.split = true};

static struct {
	enum { BLANKS, ONE_CHAR, EACH_CHAR, BY_REGEX } how;
	char c;
	Regex *re;
} fs;

static struct {
	enum { BY_CHAR, PARAGRAPHS, RECORD_REGEX } how;
	int c;
	Regex *re;
} rs = {.c = '\n'};

enum { MAX_FIELDS = 5000000 };

static Regex *compile(const char *s, size_t n)
{
	const char *why;
	Pattern p = {s, n};
	Regex *re = regex_compile(&p, 1, RE_EXTENDED | RE_AWK, &why);
	if (!re)
		awk_error("%s: %.*s", why, (int)n, s);
	return re;
}

void fs_changed(void)
{
	/* The record at hand is still split the old way. */
	get_nf();
	Str *s = to_str(&program.cell[V_FS].v);
	if (s->len == 0)
		fs.how = EACH_CHAR;
	else if (s->len == 1 && *s->s == ' ')
		fs.how = BLANKS;
	else if (s->len == 1 && *s->s != '\\') {
		fs.how = ONE_CHAR;
		fs.c = *s->s;
	} else {
		fs.how = BY_REGEX;
		fs.re = compile(s->s, s->len);
	}
	str_drop(s);
}

void rs_changed(void)
{
	Str *s = to_str(&program.cell[V_RS].v);
	if (s->len == 0)
		rs.how = PARAGRAPHS;
	else if (s->len == 1) {
		rs.how = BY_CHAR;
		rs.c = (unsigned char)*s->s;
	} else {
		rs.how = RECORD_REGEX;
		rs.re = compile(s->s, s->len);
	}
	str_drop(s);
}

typedef void Adder(void *to, const char *s, size_t n);

static size_t split_blanks(const char *s, size_t n, Adder *add, void *to)
{
	size_t count = 0, i = 0;
	for (;;) {
		while (i < n && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n'))
			i++;
		if (i == n)
			return count;
		size_t start = i;
		while (i < n && !(s[i] == ' ' || s[i] == '\t' || s[i] == '\n'))
			i++;
		add(to, s + start, i - start);
		count++;
	}
}

static size_t split_char(const char *s, size_t n, char c, bool newline_too, Adder *add, void *to)
{
	if (n == 0)
		return 0;
	size_t count = 0, start = 0;
	for (size_t i = 0; i <= n; i++)
		if (i == n || s[i] == c || (newline_too && s[i] == '\n')) {
			add(to, s + start, i - start);
			count++;
			start = i + 1;
		}
	return count;
}

static size_t split_regex(const char *s, size_t n, Regex *re, bool newline_too, Adder *add, void *to)
{
	if (n == 0)
		return 0;
	size_t count = 0, start = 0, at = 0;
	Span m;
	while (at < n) {
		bool hit = regex_search(re, s, n, at, &m, 1);
		const char *nl = newline_too ? memchr(s + at, '\n', n - at) : NULL;
		if (nl && (!hit || nl - s < m.start)) {
			m = (Span){nl - s, nl - s + 1};
			hit = true;
		}
		if (!hit)
			break;
		if (m.end == m.start) { /* an empty match separates nothing */
			at = (size_t)m.end + 1;
			continue;
		}
		add(to, s + start, (size_t)m.start - start);
		count++;
		start = at = (size_t)m.end;
	}
	add(to, s + start, n - start);
	return count + 1;
}

static size_t split_each(const char *s, size_t n, Adder *add, void *to)
{
	for (size_t i = 0; i < n; i++)
		add(to, s + i, 1);
	return n;
}

static size_t split_by_fs(const char *s, size_t n, Adder *add, void *to)
{
	bool paragraphs = rs.how == PARAGRAPHS;
	switch (fs.how) {
	case BLANKS: return split_blanks(s, n, add, to);
	case ONE_CHAR: return split_char(s, n, fs.c, paragraphs, add, to);
	case EACH_CHAR: return split_each(s, n, add, to);
	default: return split_regex(s, n, fs.re, paragraphs, add, to);
	}
}

size_t split_text(const char *s, size_t n, Node *separator, Adder *add, void *to)
{
	if (!separator)
		return split_by_fs(s, n, add, to);
	if (separator->type == X_REGEX)
		return split_regex(s, n, separator->re, false, add, to);
	Str *sep = eval_str(separator);
	size_t count;
	if (sep->len == 0)
		count = split_each(s, n, add, to);
	else if (sep->len == 1 && *sep->s == ' ')
		count = split_blanks(s, n, add, to);
	else if (sep->len == 1 && *sep->s != '\\')
		count = split_char(s, n, *sep->s, false, add, to);
	else
		count = split_regex(s, n, eval_regex(separator), false, add, to);
	str_drop(sep);
	return count;
}

static void room_for(long n)
{
	if (n > MAX_FIELDS)
		awk_error("a record of %ld fields", n);
	if ((size_t)n < rec.cap)
		return;
	size_t cap = rec.cap ? rec.cap : 32;
	while (cap <= (size_t)n)
		cap *= 2;
	rec.field = xrealloc(rec.field, cap * sizeof *rec.field);
	memset(rec.field + rec.cap, 0, (cap - rec.cap) * sizeof *rec.field);
	rec.cap = cap;
}

static void add_field(void *to, const char *s, size_t n)
{
	long *count = to;
	room_for(++*count);
	drop(rec.field[*count]);
	rec.field[*count] = input_value(s, n);
}

static void split_record(void)
{
	if (rec.split)
		return;
	rec.split = true;
	long n = 0;
	if (rec.text)
		split_by_fs(rec.text->s, rec.text->len, add_field, &n);
	for (long i = n + 1; i <= rec.nf; i++) {
		drop(rec.field[i]);
		rec.field[i] = (Value){UNSET, 0, NULL};
	}
	rec.nf = n;
}

static void rebuild_record(void)
{
	if (rec.text)
		return;
	Text t = {0};
	text_reserve(&t, 0);
	Str *ofs = to_str(&program.cell[V_OFS].v);
	for (long i = 1; i <= rec.nf; i++) {
		Str *s = to_str(&rec.field[i]);
		if (i > 1)
			text_add(&t, ofs->s, ofs->len);
		text_add(&t, s->s, s->len);
		str_drop(s);
	}
	str_drop(ofs);
	rec.text = str_take(&t);
	rec.numeric_known = false;
}

static void set_record(const char *s, size_t n)
{
	str_drop(rec.text);
	rec.text = str_new(s, n);
	rec.split = false;
	rec.numeric_known = false;
}

long get_nf(void)
{
	split_record();
	return rec.nf;
}

Value get_field(long i)
{
	if (i == 0) {
		rebuild_record();
		if (!rec.numeric_known) {
			drop(rec.whole);
			rec.whole = input_value(rec.text->s, rec.text->len);
			rec.numeric_known = true;
		}
		return keep(rec.whole);
	}
	split_record();
	if (i > rec.nf)
		return (Value){UNSET, 0, NULL};
	return keep(rec.field[i]);
}

static void fields_changed(void)
{
	str_drop(rec.text);
	rec.text = NULL;
}

void set_nf(long n)
{
	if (n < 0)
		awk_error("NF set to a negative value");
	split_record();
	room_for(n);
	for (long i = rec.nf + 1; i <= n; i++)
		rec.field[i] = text_value("", 0);
	for (long i = n + 1; i <= rec.nf; i++) {
		drop(rec.field[i]);
		rec.field[i] = (Value){UNSET, 0, NULL};
	}
	rec.nf = n;
	fields_changed();
}

void set_field(long i, Value v)
{
	if (i < 0)
		awk_error("fields are numbered from 0");
	if (i == 0) {
		Str *s = to_str(&v);
		set_record(s->s, s->len);
		str_drop(s);
		drop(v);
		return;
	}
	split_record();
	if (i > rec.nf)
		set_nf(i);
	drop(rec.field[i]);
	rec.field[i] = v;
	fields_changed();
}

/* ---- reading records ---- */

/* read_record finds the next record of r by RS. */
static bool read_record(Reader *r, Text *t)
{
	char *s;
	size_t n;
	bool had;
	t->len = 0;
	text_reserve(t, 0);
	switch (rs.how) {
	case BY_CHAR:
		if (!reader_record(r, rs.c, &s, &n, &had))
			return false;
		/* With another separator, the newline that ends the file is no data. */
		if (!had && rs.c != '\n' && n && s[n - 1] == '\n' && --n == 0)
			return false;
		text_add(t, s, n);
		return true;
	case PARAGRAPHS:
		do
			if (!reader_record(r, '\n', &s, &n, &had))
				return false;
		while (n == 0);
		for (;;) {
			text_add(t, s, n);
			if (!reader_record(r, '\n', &s, &n, &had) || n == 0)
				return true;
			text_char(t, '\n');
		}
	default: {
		/* A match that reaches the end of what was read could grow, so the
		 * whole input is read first. */
		Span m;
		Text all = {0};
		text_reserve(&all, 0);
		reader_all(r, &all);
		if (all.len == 0) {
			free(all.s);
			return false;
		}
		bool hit = regex_search(rs.re, all.s, all.len, 0, &m, 1) && m.end > m.start;
		size_t end = hit ? (size_t)m.start : all.len, rest = hit ? (size_t)m.end : all.len;
		if (!hit && end && all.s[end - 1] == '\n')
			end--;
		text_add(t, all.s, end);
		free(r->buf);
		r->buf = all.s;
		r->cap = all.cap;
		r->start = rest;
		r->end = all.len;
		return true;
	}
	}
}

static struct {
	Reader r;
	bool open, used;
	long at;
} in;

void io_start(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	in.at = 1;
}

static bool assignment_operand(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	if (!n || s[n] != '=' || isdigit((unsigned char)*s))
		return false;
	char *name = xmemdup(s, n), *text = process_escapes(s + n + 1);
	set_global(global_index(name), input_value(text, strlen(text)));
	free(name);
	free(text);
	return true;
}

static int io_status;

/* next_input opens the next file operand, performing assignments on the way. */
static bool next_input(void)
{
	for (;;) {
		Value argc = program.cell[V_ARGC].v;
		if (in.at >= (long)to_number(&argc)) {
			if (in.used)
				return false;
			in.used = in.open = true;
			reader_from_fd(&in.r, 0, "-");
			set_global(V_FNR, number(0));
			return true;
		}
		Value n = number((double)in.at++);
		Str *key = to_str(&n);
		Value *v = array_get(program.cell[V_ARGV].a, key, false);
		str_drop(key);
		if (!v)
			continue;
		Str *name = to_str(v);
		if (name->len == 0 || assignment_operand(name->s)) {
			str_drop(name);
			continue;
		}
		in.used = true;
		if (!reader_open(&in.r, name->s)) {
			io_status = 2;
			str_drop(name);
			continue;
		}
		in.open = true;
		set_global(V_FILENAME, input_value(name->s, name->len));
		set_global(V_FNR, number(0));
		return true;
	}
}

static void count_record(bool main_input)
{
	program.cell[V_NR].v = number(to_number(&program.cell[V_NR].v) + 1);
	if (main_input)
		program.cell[V_FNR].v = number(to_number(&program.cell[V_FNR].v) + 1);
}

static bool main_record(Text *t)
{
	for (;;) {
		if (!in.open && !next_input())
			return false;
		if (read_record(&in.r, t)) {
			Value nr = program.cell[V_NR].v, fnr = program.cell[V_FNR].v;
			count_record(true);
			drop(nr);
			drop(fnr);
			return true;
		}
		reader_close(&in.r);
		in.open = false;
	}
}

bool next_record(void)
{
	static Text t;
	if (!main_record(&t))
		return false;
	set_record(t.s, t.len);
	return true;
}

void next_file(void)
{
	if (in.open)
		reader_close(&in.r);
	in.open = false;
}

/* ---- streams ---- */

typedef struct {
	Str *name;
	int kind;   /* TO_FILE, TO_APPEND, TO_PIPE, or reading */
	bool reading;
	Reader r;
	int fd;
	Text pending; /* written in pieces; all of a pipe's input */
} Stream;

static Stream *streams;
static size_t nstreams, capstreams;

static Stream *find_stream(const Str *name, bool reading, bool pipe)
{
	for (size_t i = 0; i < nstreams; i++) {
		Stream *s = &streams[i];
		if (s->name && s->reading == reading && (s->kind == TO_PIPE) == pipe && s->name->len == name->len &&
		    !memcmp(s->name->s, name->s, name->len))
			return s;
	}
	return NULL;
}

static Stream *add_stream(Str *name, int kind, bool reading)
{
	GROW(streams, nstreams, capstreams);
	name->refs++;
	streams[nstreams] = (Stream){.name = name, .kind = kind, .reading = reading, .fd = -1};
	return &streams[nstreams++];
}

void print_to(int kind, Str *name, const char *s, size_t n)
{
	if (kind == TO_STDOUT) {
		out(s, n);
		return;
	}
	Stream *st = find_stream(name, false, kind == TO_PIPE);
	if (!st) {
		st = add_stream(name, kind, false);
		if (kind != TO_PIPE) {
			st->fd = open_output(name->s, O_WRONLY | O_CREAT | (kind == TO_APPEND ? O_APPEND : O_TRUNC));
			if (st->fd == -1)
				awk_error("can't redirect to %s: %s", name->s, strerror(errno));
		}
	}
	if (st->fd == 1) {
		out(s, n);
		return;
	}
	text_add(&st->pending, s, n);
	if (kind != TO_PIPE && (st->pending.len > 1 << 16 || st->fd == 2)) {
		write_all(st->fd, st->pending.s, st->pending.len);
		st->pending.len = 0;
	}
}

static char **shell_words(const char *command)
{
	static char *argv[4];
	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = (char *)command;
	return argv;
}

static int close_one(Stream *s)
{
	int status = 0;
	if (s->reading)
		reader_close(&s->r);
	else if (s->kind == TO_PIPE) {
		text_reserve(&s->pending, 0);
		status = capture_command(shell_words(s->name->s), &s->pending, NULL);
	} else {
		if (s->pending.len && !write_all(s->fd, s->pending.s, s->pending.len))
			status = -1;
		if (s->fd > 2)
			close(s->fd);
	}
	free(s->pending.s);
	str_drop(s->name);
	s->name = NULL;
	return status;
}

int close_stream(Str *name)
{
	int status = -1;
	for (size_t i = 0; i < nstreams; i++)
		if (streams[i].name && streams[i].name->len == name->len && !memcmp(streams[i].name->s, name->s, name->len))
			status = close_one(&streams[i]);
	return status;
}

int flush_streams(void)
{
	out_flush();
	for (size_t i = 0; i < nstreams; i++)
		if (streams[i].name && !streams[i].reading && streams[i].kind != TO_PIPE && streams[i].pending.len) {
			write_all(streams[i].fd, streams[i].pending.s, streams[i].pending.len);
			streams[i].pending.len = 0;
		}
	return 0;
}

int close_all(void)
{
	flush_streams();
	for (size_t i = 0; i < nstreams; i++)
		if (streams[i].name)
			close_one(&streams[i]);
	return io_status;
}

int getline_from(int kind, Str *name, Node *target)
{
	static Text t;
	if (kind == FROM_MAIN) {
		if (!main_record(&t))
			return 0;
	} else {
		Stream *s = find_stream(name, true, kind == FROM_PIPE);
		if (!s) {
			Reader r;
			if (kind == FROM_PIPE) {
				flush_streams();
				Text output = {0};
				text_reserve(&output, 0);
				capture_command(shell_words(name->s), NULL, &output);
				reader_from_fd(&r, -1, "pipe");
				r.buf = output.s;
				r.end = output.len;
				r.cap = output.cap;
				r.eof = true;
			} else {
				struct stat st;
				if (strcmp(name->s, "-") && strncmp(name->s, "/dev/", 5) && stat(name->s, &st) < 0)
					return -1;
				if (!reader_open(&r, name->s))
					return -1;
			}
			s = add_stream(name, kind == FROM_PIPE ? TO_PIPE : TO_FILE, true);
			s->r = r;
		}
		if (!read_record(&s->r, &t))
			return s->r.failed ? -1 : 0;
		if (kind == FROM_PIPE) {
			Value nr = program.cell[V_NR].v;
			program.cell[V_NR].v = number(to_number(&nr) + 1);
			drop(nr);
		}
	}
	if (target)
		assign(target, input_value(t.s, t.len));
	else
		set_record(t.s, t.len);
	return 1;
}

/* ---- printf ---- */

void format_text(Text *t, Str *format, Node *arg)
{
	const char *p = format->s, *end = p + format->len;
	while (p < end) {
		if (*p != '%') {
			const char *q = memchr(p, '%', (size_t)(end - p));
			text_add(t, p, (size_t)((q ? q : end) - p));
			p = q ? q : end;
			continue;
		}
		if (p + 1 < end && p[1] == '%') {
			text_char(t, '%');
			p += 2;
			continue;
		}
		char spec[64] = "%";
		size_t n = 1;
		const char *start = p++;
		while (p < end && strchr("-+ #0", *p) && n < 12)
			spec[n++] = *p++;
		for (int part = 0; part < 2; part++) {
			if (part == 1) {
				if (p >= end || *p != '.')
					break;
				spec[n++] = *p++;
			}
			if (p < end && *p == '*') {
				p++;
				int v = arg ? (int)eval_number(arg) : 0;
				arg = arg ? arg->next : NULL;
				n += (size_t)snprintf(spec + n, 12, "%d", v);
			} else {
				int digits = 0;
				while (p < end && isdigit((unsigned char)*p) && digits++ < 6)
					spec[n++] = *p++;
			}
		}
		while (p < end && strchr("hlL", *p))
			p++;
		int c = p < end ? *p++ : 0;
		if (!c || !strchr("diouxXeEfFgGaAcs", c)) {
			text_add(t, start, (size_t)(p - start)); /* not a conversion: as it is */
			continue;
		}
		Value v = arg ? eval(arg) : (Value){UNSET, 0, NULL}; /* missing ones count as empty */
		arg = arg ? arg->next : NULL;
		switch (c) {
		case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': {
			double d = to_number(&v);
			if (isnan(d) || isinf(d)) {
				memcpy(spec + n, "f", 2);
				text_printf(t, spec, d);
				break;
			}
			if (fabs(d) >= 9.2e18 && (c == 'd' || c == 'i')) { /* beyond integers: digits all the same */
				char *dot = strchr(spec, '.');
				if (dot)
					*dot = 0, n = (size_t)(dot - spec);
				memcpy(spec + n, ".0f", 4);
				text_printf(t, spec, d < 0 ? ceil(d) : floor(d));
				break;
			}
			memcpy(spec + n, "ll", 2);
			spec[n + 2] = (char)(c == 'i' ? 'd' : c);
			spec[n + 3] = 0;
			if (c == 'd' || c == 'i' || d < 0)
				text_printf(t, spec, (long long)d);
			else
				text_printf(t, spec, (unsigned long long)d);
			break;
		}
		case 'c':
			if (v.kind == NUMBER) {
				double d = v.n;
				unsigned u = d >= 0 && d < 1114112 ? (unsigned)d : 0;
				char one[8];
				size_t k = 1;
				one[0] = (char)u;
				if (u >= 256) { /* beyond a byte: UTF-8 */
					k = 0;
					if (u < 0x800)
						one[k++] = (char)(0xC0 | u >> 6);
					else if (u < 0x10000) {
						one[k++] = (char)(0xE0 | u >> 12);
						one[k++] = (char)(0x80 | (u >> 6 & 63));
					} else {
						one[k++] = (char)(0xF0 | u >> 18);
						one[k++] = (char)(0x80 | (u >> 12 & 63));
						one[k++] = (char)(0x80 | (u >> 6 & 63));
					}
					one[k++] = (char)(0x80 | (u & 63));
				}
				if (n == 1)
					text_add(t, one, k);
				else if (k == 1 && *one) {
					memcpy(spec + n, "c", 2);
					text_printf(t, spec, *one);
				} else
					text_add(t, one, k);
			} else {
				Str *s = to_str(&v);
				char one[2] = {s->len ? *s->s : 0, 0};
				char *dot = strchr(spec, '.');
				if (dot)
					n = (size_t)(dot - spec);
				memcpy(spec + n, "s", 2);
				text_printf(t, spec, one);
				str_drop(s);
			}
			break;
		case 's': {
			Str *s = to_str(&v);
			if (n == 1)
				text_add(t, s->s, s->len);
			else {
				memcpy(spec + n, "s", 2);
				text_printf(t, spec, s->s);
			}
			str_drop(s);
			break;
		}
		default:
			spec[n] = (char)c;
			spec[n + 1] = 0;
			text_printf(t, spec, to_number(&v));
		}
		drop(v);
	}
}
