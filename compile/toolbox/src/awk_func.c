/* awk_func.c - the built-in functions: see awk.h. */
#include "awk.h"

#include <ctype.h>
#include <math.h>
#include <time.h>

/* ---- random numbers: the same on every run unless srand() is given more ---- */

static uint64_t random_state = 0x853c49e6748fea9bu;
static double seed = 0;

static double next_random(void)
{
	uint64_t z = random_state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static double set_seed(double s)
{
	double old = seed;
	seed = s;
	uint64_t bits;
	memcpy(&bits, &s, sizeof bits);
	random_state = bits ^ 0x853c49e6748fea9bu;
	return old;
}

/* ---- sub, gsub, gensub ---- */

/* add_replacement writes r for the match m: & is the match, \& a plain &. In
 * gensub \1 … \9 are groups. */
static void add_replacement(Text *t, const Str *r, const char *s, const Span *m, bool groups)
{
	for (size_t i = 0; i < r->len; i++) {
		char c = r->s[i];
		if (c == '\\' && i + 1 < r->len) {
			char d = r->s[i + 1];
			if (d == '&' || d == '\\') {
				text_char(t, d);
				i++;
				continue;
			}
			if (groups && isdigit((unsigned char)d)) {
				const Span *g = &m[d - '0'];
				if (g->start >= 0)
					text_add(t, s + g->start, (size_t)(g->end - g->start));
				i++;
				continue;
			}
		}
		if (c == '&')
			text_add(t, s + m[0].start, (size_t)(m[0].end - m[0].start));
		else
			text_char(t, c);
	}
}

/* substitute replaces matches number which (0: all) and counts them. */
static long substitute(Regex *re, const Str *r, const Str *s, long which, bool groups, Text *result)
{
	Span m[RE_MAX_GROUPS];
	size_t at = 0, copied = 0;
	long seen = 0, done = 0;
	ptrdiff_t last_end = -1;
	text_reserve(result, 0);
	while (at <= s->len && regex_search(re, s->s, s->len, at, m, groups ? RE_MAX_GROUPS : 1)) {
		bool empty = m[0].start == m[0].end;
		if (empty && m[0].start == last_end) {
			at = (size_t)m[0].end + 1;
			continue;
		}
		last_end = m[0].end;
		if (which == 0 || ++seen == which) {
			text_add(result, s->s + copied, (size_t)m[0].start - copied);
			add_replacement(result, r, s->s, m, groups);
			copied = (size_t)m[0].end;
			done++;
			if (which)
				break;
		}
		at = empty ? (size_t)m[0].end + 1 : (size_t)m[0].end;
	}
	text_add(result, s->s + copied, s->len - copied);
	return done;
}

static Value sub_or_gsub(Node *call)
{
	Node *re = call->a, *repl = re->next, *target = repl->next;
	static Node zero = {.type = X_NUMBER}, whole = {.type = X_FIELD, .a = &zero};
	if (!target)
		target = &whole;
	Regex *r = eval_regex(re);
	Str *with = eval_str(repl), *s = eval_str(target);
	Text result = {0};
	long n = substitute(r, with, s, call->op == B_SUB ? 1 : 0, false, &result);
	if (n)
		assign(target, string(str_take(&result)));
	else
		free(result.s);
	str_drop(with);
	str_drop(s);
	return number((double)n);
}

static Value gensub(Node *a)
{
	Regex *re = eval_regex(a);
	Str *with = eval_str(a->next), *how = eval_str(a->next->next);
	Node *target = a->next->next->next;
	Value line = {UNSET, 0, NULL};
	Str *s;
	if (target)
		s = eval_str(target);
	else {
		line = get_field(0);
		s = to_str(&line);
	}
	long which = 0;
	if (!(how->len && (*how->s == 'g' || *how->s == 'G'))) {
		which = (long)str_to_number(how->s, how->len, NULL);
		if (which < 1)
			which = 1;
	}
	Text result = {0};
	substitute(re, with, s, which, true, &result);
	str_drop(with);
	str_drop(how);
	str_drop(s);
	drop(line);
	return string(str_take(&result));
}

/* ---- split, match, substr, index ---- */

typedef struct {
	Array *a;
	long n;
} Pieces;

static void set_element(Array *a, long i, Value v)
{
	Value n = number((double)i);
	Str *key = to_str(&n);
	Value *slot = array_get(a, key, true);
	drop(*slot);
	*slot = v;
	str_drop(key);
}

static void add_piece(void *to, const char *s, size_t n)
{
	Pieces *p = to;
	set_element(p->a, ++p->n, input_value(s, n));
}

static Value split(Node *a)
{
	Str *s = eval_str(a);
	Pieces p = {eval_array(a->next), 0};
	array_clear(p.a);
	split_text(s->s, s->len, a->next->next, add_piece, &p);
	str_drop(s);
	return number((double)p.n);
}

static Value match(Node *a)
{
	Str *s = eval_str(a);
	Regex *re = eval_regex(a->next);
	Node *groups = a->next->next;
	Span m[RE_MAX_GROUPS];
	bool hit = regex_search(re, s->s, s->len, 0, m, groups ? RE_MAX_GROUPS : 1);
	double start = hit ? (double)m[0].start + 1 : 0;
	set_global(V_RSTART, number(start));
	set_global(V_RLENGTH, number(hit ? (double)(m[0].end - m[0].start) : -1));
	if (groups) {
		Array *arr = eval_array(groups);
		array_clear(arr);
		for (size_t i = 0; hit && i <= regex_groups(re) && i < RE_MAX_GROUPS; i++)
			if (m[i].start >= 0)
				set_element(arr, (long)i, input_value(s->s + m[i].start, (size_t)(m[i].end - m[i].start)));
	}
	str_drop(s);
	return number(start);
}

/* substr counts from 1; what lies outside the string is cut off. */
static Value substr(Node *a)
{
	Str *s = eval_str(a);
	double from = eval_number(a->next), to = INFINITY;
	from = nearbyint(from);
	if (a->next->next)
		to = from + nearbyint(eval_number(a->next->next));
	if (isnan(from) || isnan(to)) {
		str_drop(s);
		return text_value("", 0);
	}
	double first = from < 1 ? 1 : from, last = to > (double)s->len + 1 ? (double)s->len + 1 : to;
	Value v = last > first ? text_value(s->s + (size_t)first - 1, (size_t)(last - first)) : text_value("", 0);
	str_drop(s);
	return v;
}

static Value find_index(Node *a)
{
	Str *s = eval_str(a), *t = eval_str(a->next);
	double at = 0;
	for (size_t i = 0; i + t->len <= s->len; i++)
		if (!memcmp(s->s + i, t->s, t->len)) {
			at = (double)i + 1;
			break;
		}
	str_drop(s);
	str_drop(t);
	return number(at);
}

static Value length(Node *a)
{
	if (a && (a->type == X_GLOBAL || a->type == X_LOCAL)) {
		Cell *c = a->type == X_GLOBAL ? &program.cell[a->op] : &locals()[a->op];
		if (c->a)
			return number((double)c->a->live);
	}
	Value line = {UNSET, 0, NULL};
	Str *s;
	if (a)
		s = eval_str(a);
	else {
		line = get_field(0);
		s = to_str(&line);
	}
	double n = (double)s->len;
	str_drop(s);
	drop(line);
	return number(n);
}

static Value change_case(Node *a, int (*to)(int))
{
	Str *s = eval_str(a), *t = str_new(s->s, s->len);
	for (size_t i = 0; i < t->len; i++)
		t->s[i] = (char)to((unsigned char)t->s[i]);
	str_drop(s);
	return string(t);
}

/* ---- sorting, time, bits ---- */

static int by_value(const void *a, const void *b)
{
	const Value *x = a, *y = b;
	bool nx = x->kind == NUMBER || x->kind == STRNUM, ny = y->kind == NUMBER || y->kind == STRNUM;
	if (nx != ny)
		return nx ? -1 : 1; /* numbers before strings */
	return compare_values(x, y);
}

static Value sort_array(Node *a, bool keys)
{
	Array *from = eval_array(a), *to = a->next ? eval_array(a->next) : from;
	size_t n = 0;
	Value *v = xmalloc((from->live + 1) * sizeof *v);
	for (size_t i = 0; i < from->n; i++)
		if (from->entry[i].key)
			v[n++] = keys ? text_value(from->entry[i].key->s, from->entry[i].key->len) : keep(from->entry[i].value);
	qsort(v, n, sizeof *v, by_value);
	array_clear(to);
	for (size_t i = 0; i < n; i++)
		set_element(to, (long)i + 1, v[i]);
	free(v);
	return number((double)n);
}

static Value format_time(Node *a)
{
	const char *format = "%a %b %e %H:%M:%S UTC %Y";
	Str *f = a ? eval_str(a) : NULL;
	time_t t = a && a->next ? (time_t)eval_number(a->next) : time(NULL);
	if (f)
		format = f->s;
	size_t room = strlen(format) * 16 + 256;
	char *buf = xmalloc(room);
	size_t n = strftime(buf, room, format, gmtime(&t));
	Value v = text_value(buf, n);
	free(buf);
	str_drop(f);
	return v;
}

static Value to_c_number(Node *a)
{
	Str *s = eval_str(a);
	const char *p = s->s;
	while (isspace((unsigned char)*p))
		p++;
	double d;
	if (*p == '0' && (p[1] == 'x' || p[1] == 'X'))
		d = (double)strtoull(p, NULL, 16);
	else if (*p == '0' && p[1] >= '0' && p[1] <= '7' && !strpbrk(p, "89."))
		d = (double)strtoull(p, NULL, 8);
	else
		d = str_to_number(s->s, s->len, NULL);
	str_drop(s);
	return number(d);
}

static Value bits(Builtin op, Node *a)
{
	uint64_t x = (uint64_t)eval_number(a);
	if (op == B_COMPL)
		return number((double)(~x & 0x1FFFFFFFFFFFFFu));
	for (a = a->next; a; a = a->next) {
		uint64_t y = (uint64_t)eval_number(a);
		switch (op) {
		case B_AND: x &= y; break;
		case B_OR: x |= y; break;
		case B_XOR: x ^= y; break;
		case B_LSHIFT: x = y < 64 ? x << y : 0; break;
		default: x = y < 64 ? x >> y : 0;
		}
	}
	return number((double)x);
}

static Value run_system(Node *a)
{
	Str *command = eval_str(a);
	flush_streams();
	char *argv[] = {"sh", "-c", command->s, NULL};
	int status = run_command(argv);
	str_drop(command);
	return number(status);
}

static Value format_string(Node *a)
{
	Text t = {0};
	text_reserve(&t, 0);
	Str *format = eval_str(a);
	format_text(&t, format, a->next);
	str_drop(format);
	return string(str_take(&t));
}

Value call_builtin(Node *call)
{
	Node *a = call->a;
	switch ((Builtin)call->op) {
	case B_ATAN2: {
		double y = eval_number(a), x = eval_number(a->next);
		return number(atan2(y, x));
	}
	case B_COS: return number(cos(eval_number(a)));
	case B_SIN: return number(sin(eval_number(a)));
	case B_EXP: return number(exp(eval_number(a)));
	case B_LOG: return number(log(eval_number(a)));
	case B_SQRT: return number(sqrt(eval_number(a)));
	case B_INT: return number(trunc(eval_number(a)));
	case B_RAND: return number(next_random());
	case B_SRAND: return number(set_seed(a ? eval_number(a) : (double)time(NULL)));
	case B_SUB:
	case B_GSUB: return sub_or_gsub(call);
	case B_GENSUB: return gensub(a);
	case B_INDEX: return find_index(a);
	case B_LENGTH: return length(a);
	case B_MATCH: return match(a);
	case B_SPLIT: return split(a);
	case B_SPRINTF: return format_string(a);
	case B_SUBSTR: return substr(a);
	case B_TOLOWER: return change_case(a, tolower);
	case B_TOUPPER: return change_case(a, toupper);
	case B_CLOSE: {
		Str *name = eval_str(a);
		flush_streams();
		int status = close_stream(name);
		str_drop(name);
		return number(status);
	}
	case B_SYSTEM: return run_system(a);
	case B_FFLUSH:
		if (a)
			drop(eval(a));
		return number(flush_streams());
	case B_STRFTIME: return format_time(a);
	case B_SYSTIME: return number((double)time(NULL));
	case B_STRTONUM: return to_c_number(a);
	case B_AND: case B_OR: case B_XOR: case B_LSHIFT: case B_RSHIFT: case B_COMPL: return bits((Builtin)call->op, a);
	case B_ASORT: return sort_array(a, false);
	case B_ASORTI: return sort_array(a, true);
	}
	awk_error("unknown function");
}
