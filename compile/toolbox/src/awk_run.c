/* awk_run.c - evaluates awk programs, and awk's main: see awk.h. */
#include "awk.h"
#include "tools.h"

#include <math.h>

extern char **environ;

enum { MAX_DEPTH = 2000 };

typedef enum { GO_ON, BREAK, CONTINUE, NEXT, NEXT_FILE, EXIT, RETURN } Flow;

static Cell *frame;
Cell *locals(void) { return frame; }

static Value returned;
static int exit_status, call_depth;
static int current_line;

void awk_error(const char *fmt, ...)
{
	va_list ap;
	out_flush();
	fprintf(stderr, "awk: line %d: ", current_line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

/* ---- variables ---- */

void set_global(int index, Value v)
{
	Cell *c = &program.cell[index];
	if (c->a)
		awk_error("can't assign to %s: it is an array", program.name[index]);
	drop(c->v);
	c->v = v;
	switch (index) {
	case V_NF: set_nf((long)to_number(&v)); break;
	case V_FS: fs_changed(); break;
	case V_RS: rs_changed(); break;
	}
}

Array *eval_array(Node *x)
{
	Cell *c = x->type == X_LOCAL ? &frame[x->op] : x->type == X_GLOBAL ? &program.cell[x->op] : NULL;
	if (!c)
		awk_error("an array is needed here");
	if (!c->a) {
		if (c->v.kind != UNSET)
			awk_error("a scalar is used as an array");
		c->a = array_new();
	}
	return c->a;
}

/* subscript joins the expressions of a[i, j] with SUBSEP. */
static Str *subscript(Node *list)
{
	if (!list->next) {
		return eval_str(list);
	}
	Text t = {0};
	Str *sep = to_str(&program.cell[V_SUBSEP].v);
	for (Node *x = list; x; x = x->next) {
		Str *s = eval_str(x);
		if (x != list)
			text_add(&t, sep->s, sep->len);
		text_add(&t, s->s, s->len);
		str_drop(s);
	}
	str_drop(sep);
	return str_take(&t);
}

void assign(Node *target, Value v)
{
	switch (target->type) {
	case X_GLOBAL: set_global(target->op, v); break;
	case X_LOCAL:
		if (frame[target->op].a)
			awk_error("an array is used as a scalar");
		drop(frame[target->op].v);
		frame[target->op].v = v;
		break;
	case X_FIELD: set_field((long)eval_number(target->a), v); break;
	case X_INDEX: {
		Str *key = subscript(target->b);
		Value *slot = array_get(eval_array(target->a), key, true);
		drop(*slot);
		*slot = v;
		str_drop(key);
		break;
	}
	default: awk_error("cannot assign to this expression");
	}
}

/* ---- expressions ---- */

Str *eval_str(Node *x)
{
	Value v = eval(x);
	if (v.kind == STRING || v.kind == STRNUM)
		return v.s;
	return to_str(&v);
}

double eval_number(Node *x)
{
	Value v = eval(x);
	double n = to_number(&v);
	drop(v);
	return n;
}

static bool eval_bool(Node *x)
{
	Value v = eval(x);
	bool b = to_bool(&v);
	drop(v);
	return b;
}

/* Computed regular expressions are compiled once and kept. */
Regex *eval_regex(Node *x)
{
	if (x->type == X_REGEX)
		return x->re;
	static struct {
		Str *s;
		Regex *re;
	} cache[64];
	Str *s = eval_str(x);
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < s->len; i++)
		h = (h ^ (unsigned char)s->s[i]) * 16777619u;
	unsigned slot = h % 64;
	if (cache[slot].s && cache[slot].s->len == s->len && !memcmp(cache[slot].s->s, s->s, s->len)) {
		str_drop(s);
		return cache[slot].re;
	}
	const char *why;
	Pattern p = {s->s, s->len};
	Regex *re = regex_compile(&p, 1, RE_EXTENDED | RE_AWK, &why);
	if (!re)
		awk_error("%s: %s", why, s->s);
	str_drop(cache[slot].s);
	cache[slot].s = s;
	cache[slot].re = re;
	return re;
}

static bool matches(Node *re, const Str *s) { return regex_search(eval_regex(re), s->s, s->len, 0, NULL, 0); }

static double arithmetic(int op, double a, double b)
{
	switch (op) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/':
		if (b == 0)
			awk_error("division by zero");
		return a / b;
	case '%':
		if (b == 0)
			awk_error("division by zero in %%");
		return fmod(a, b);
	default: return pow(a, b);
	}
}

static bool compare(int op, const Value *a, const Value *b)
{
	if (a->kind != STRING && b->kind != STRING) { /* so that NaN is unequal to all */
		double x = to_number(a), y = to_number(b);
		switch (op) {
		case '<': return x < y;
		case 'l': return x <= y;
		case '=': return x == y;
		case '!': return x != y;
		case 'g': return x >= y;
		default: return x > y;
		}
	}
	int c = compare_values(a, b);
	switch (op) {
	case '<': return c < 0;
	case 'l': return c <= 0;
	case '=': return c == 0;
	case '!': return c != 0;
	case 'g': return c >= 0;
	default: return c > 0;
	}
}

static Flow run(Node *s);

static Value call_function(Node *x)
{
	Function *f = x->fn;
	if (++call_depth > MAX_DEPTH)
		awk_error("function %s: more than %d calls deep", f->name, MAX_DEPTH);
	Cell *mine = xcalloc((size_t)f->nparams + 1, sizeof *mine);
	bool *borrowed = xcalloc((size_t)f->nparams + 1, sizeof *borrowed);
	int i = 0;
	for (Node *a = x->a; a; a = a->next, i++) {
		if (i >= f->nparams)
			awk_error("function %s called with too many arguments", f->name);
		if (f->is_array[i]) {
			mine[i].a = eval_array(a);
			borrowed[i] = true;
		} else
			mine[i].v = eval(a);
	}
	Cell *outer = frame;
	frame = mine;
	returned = (Value){UNSET, 0, NULL};
	run(f->body);
	Value result = returned;
	returned = (Value){UNSET, 0, NULL};
	frame = outer;
	for (i = 0; i < f->nparams; i++) {
		drop(mine[i].v);
		if (mine[i].a && !borrowed[i]) {
			array_clear(mine[i].a);
			free(mine[i].a->entry);
			free(mine[i].a->slot);
			free(mine[i].a);
		}
	}
	free(mine);
	free(borrowed);
	call_depth--;
	return result;
}

static Value increment(Node *x, bool before)
{
	Value v = eval(x->a);
	double n = to_number(&v);
	drop(v);
	assign(x->a, number(n + x->op));
	return number(before ? n + x->op : n);
}

static Value concatenate(Node *x)
{
	/* a b c d is left-leaning: gather it so that long chains copy once. */
	Node *part[64];
	size_t n = 0;
	for (; x->type == X_CONCAT && n < 63; x = x->a)
		part[n++] = x->b;
	part[n++] = x;
	Str *strs[64];
	size_t total = 0;
	for (size_t i = n; i-- > 0;) {
		strs[i] = eval_str(part[i]);
		total += strs[i]->len;
	}
	Str *all = xmalloc(sizeof *all + total + 1);
	all->refs = 1;
	all->len = 0;
	for (size_t i = n; i-- > 0;) {
		memcpy(all->s + all->len, strs[i]->s, strs[i]->len);
		all->len += strs[i]->len;
		str_drop(strs[i]);
	}
	all->s[all->len] = 0;
	return string(all);
}

Value eval(Node *x)
{
	current_line = x->line;
	switch (x->type) {
	case X_NUMBER: return number(x->n);
	case X_STRING: x->s->refs++; return string(x->s);
	case X_REGEX: {
		Value line = get_field(0);
		bool hit = regex_search(x->re, line.s ? line.s->s : "", line.s ? line.s->len : 0, 0, NULL, 0);
		drop(line);
		return number(hit);
	}
	case X_GLOBAL:
		if (x->op == V_NF)
			return number((double)get_nf());
		if (program.cell[x->op].a)
			awk_error("array %s is used as a scalar", program.name[x->op]);
		return keep(program.cell[x->op].v);
	case X_LOCAL:
		if (frame[x->op].a)
			awk_error("an array is used as a scalar");
		return keep(frame[x->op].v);
	case X_FIELD: {
		double n = eval_number(x->a);
		if (n < 0)
			awk_error("$%.0f: fields are numbered from 0", n);
		return get_field(n > 1e9 ? 1000000000L : (long)n);
	}
	case X_INDEX: {
		Str *key = subscript(x->b);
		Value v = keep(*array_get(eval_array(x->a), key, true));
		str_drop(key);
		return v;
	}
	case X_ASSIGN: {
		Value v;
		if (x->op == '=') {
			v = eval(x->b);
		} else {
			double b = eval_number(x->b), a = eval_number(x->a);
			v = number(arithmetic(x->op, a, b));
		}
		assign(x->a, keep(v));
		return v;
	}
	case X_COND: return eval(eval_bool(x->a) ? x->b : x->c);
	case X_AND: return number(eval_bool(x->a) && eval_bool(x->b));
	case X_OR: return number(eval_bool(x->a) || eval_bool(x->b));
	case X_NOT: return number(!eval_bool(x->a));
	case X_NEGATE: return number(-eval_number(x->a));
	case X_PLUS: return number(eval_number(x->a));
	case X_BINARY: {
		double a = eval_number(x->a), b = eval_number(x->b);
		return number(arithmetic(x->op, a, b));
	}
	case X_COMPARE: {
		Value a = eval(x->a), b = eval(x->b);
		bool yes = compare(x->op, &a, &b);
		drop(a);
		drop(b);
		return number(yes);
	}
	case X_MATCH: {
		Str *s = eval_str(x->a);
		bool hit = matches(x->b, s);
		str_drop(s);
		return number(hit != x->op);
	}
	case X_IN: {
		Str *key = subscript(x->a);
		bool there = array_get(eval_array(x->b), key, false) != NULL;
		str_drop(key);
		return number(there);
	}
	case X_CONCAT: return concatenate(x);
	case X_PRE: return increment(x, true);
	case X_POST: return increment(x, false);
	case X_CALL: return call_function(x);
	case X_BUILTIN: return call_builtin(x);
	case X_GETLINE: {
		Str *name = x->b ? eval_str(x->b) : NULL;
		int result = getline_from(x->op, name, x->a);
		str_drop(name);
		return number(result);
	}
	case X_GROUP:
		if (x->a->next)
			awk_error("a list stands where one value is needed");
		return eval(x->a);
	default: awk_error("not an expression");
	}
}

/* ---- statements ---- */

static void print_values(Node *s)
{
	Str *name = s->b ? eval_str(s->b) : NULL;
	Text t = {0};
	text_reserve(&t, 0);
	if (s->type == S_PRINTF) {
		Str *format = eval_str(s->a);
		format_text(&t, format, s->a->next);
		str_drop(format);
	} else {
		if (!s->a) {
			Value line = get_field(0);
			if (line.s)
				text_add(&t, line.s->s, line.s->len);
			drop(line);
		}
		for (Node *x = s->a; x; x = x->next) {
			Value v = eval(x);
			Str *str = to_output(&v);
			if (x != s->a) {
				Str *ofs = to_str(&program.cell[V_OFS].v);
				text_add(&t, ofs->s, ofs->len);
				str_drop(ofs);
			}
			text_add(&t, str->s, str->len);
			str_drop(str);
			drop(v);
		}
		Str *ors = to_str(&program.cell[V_ORS].v);
		text_add(&t, ors->s, ors->len);
		str_drop(ors);
	}
	print_to(s->op, name, t.s, t.len);
	free(t.s);
	str_drop(name);
}

static Flow loop_body(Node *s, bool *stop)
{
	Flow f = run(s);
	*stop = f != GO_ON && f != CONTINUE;
	return f == BREAK || f == CONTINUE ? GO_ON : f;
}

static Flow for_in(Node *s)
{
	Array *a = eval_array(s->b);
	size_t n = 0;
	Str **keys = xmalloc((a->live + 1) * sizeof *keys);
	for (size_t i = 0; i < a->n; i++)
		if (a->entry[i].key) {
			keys[n] = a->entry[i].key;
			keys[n++]->refs++;
		}
	Flow f = GO_ON;
	bool stop = false;
	for (size_t i = 0; i < n; i++) {
		if (!stop && array_get(a, keys[i], false)) {
			assign(s->a, input_value(keys[i]->s, keys[i]->len));
			f = loop_body(s->c, &stop);
		}
		str_drop(keys[i]);
	}
	free(keys);
	return f;
}

static Flow run_list(Node *s)
{
	for (; s; s = s->next) {
		Flow f = run(s);
		if (f != GO_ON)
			return f;
	}
	return GO_ON;
}

static Flow run(Node *s)
{
	Flow f;
	bool stop = false;
	current_line = s->line;
	switch (s->type) {
	case S_EXPR: drop(eval(s->a)); return GO_ON;
	case S_PRINT:
	case S_PRINTF: print_values(s); return GO_ON;
	case S_BLOCK: return run_list(s->a);
	case S_IF: return eval_bool(s->a) ? run(s->b) : s->c ? run(s->c) : GO_ON;
	case S_WHILE:
		while (eval_bool(s->a)) {
			f = loop_body(s->b, &stop);
			if (stop)
				return f;
		}
		return GO_ON;
	case S_DO:
		do {
			f = loop_body(s->b, &stop);
			if (stop)
				return f;
		} while (eval_bool(s->a));
		return GO_ON;
	case S_FOR:
		if (s->a)
			run(s->a);
		while (!s->b || eval_bool(s->b)) {
			f = loop_body(s->d, &stop);
			if (stop)
				return f;
			if (s->c)
				run(s->c);
		}
		return GO_ON;
	case S_FORIN: return for_in(s);
	case S_NEXT: return NEXT;
	case S_NEXTFILE: return NEXT_FILE;
	case S_BREAK: return BREAK;
	case S_CONTINUE: return CONTINUE;
	case S_EXIT:
		if (s->a)
			exit_status = (int)eval_number(s->a) & 255;
		return EXIT;
	case S_RETURN: {
		Value v = {UNSET, 0, NULL};
		if (s->a)
			v = eval(s->a);
		returned = v;
		return RETURN;
	}
	case S_DELETE:
		if (s->b) {
			Str *key = subscript(s->b);
			array_delete(eval_array(s->a), key);
			str_drop(key);
		} else
			array_clear(eval_array(s->a));
		return GO_ON;
	default: awk_error("not a statement");
	}
}

/* ---- the program ---- */

static bool rule_applies(Rule *r)
{
	switch (r->kind) {
	case RULE_ALWAYS: return true;
	case RULE_PATTERN: return eval_bool(r->pattern);
	case RULE_RANGE:
		if (!r->in_range && !eval_bool(r->pattern))
			return false;
		r->in_range = !eval_bool(r->until);
		return true;
	default: return false;
	}
}

static Flow run_rules(int kind)
{
	static Node print_all = {.type = S_PRINT};
	for (size_t i = 0; i < program.nrules; i++) {
		Rule *r = &program.rule[i];
		bool main_rule = r->kind != RULE_BEGIN && r->kind != RULE_END;
		if (kind == RULE_ALWAYS ? !main_rule || !rule_applies(r) : (int)r->kind != kind)
			continue;
		Flow f = run(r->has_body ? r->body : &print_all);
		if (f != GO_ON)
			return f;
	}
	return GO_ON;
}

static bool has_rules(int kind)
{
	for (size_t i = 0; i < program.nrules; i++) {
		int k = program.rule[i].kind;
		if (kind == RULE_ALWAYS ? k != RULE_BEGIN && k != RULE_END : k == kind)
			return true;
	}
	return false;
}

static void set_variable(const char *assignment)
{
	const char *eq = strchr(assignment, '=');
	char *name = xmemdup(assignment, (size_t)(eq - assignment)), *text = process_escapes(eq + 1);
	set_global(global_index(name), input_value(text, strlen(text)));
	free(name);
}

static void defaults(int argc, char **argv)
{
	static const struct {
		int var;
		const char *text;
	} texts[] = {{V_FS, " "}, {V_OFS, " "}, {V_ORS, "\n"}, {V_RS, "\n"}, {V_SUBSEP, "\034"}, {V_CONVFMT, "%.6g"}, {V_OFMT, "%.6g"}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		program.cell[texts[i].var].v = text_value(texts[i].text, strlen(texts[i].text));
	int zeros[] = {V_NR, V_FNR, V_RSTART};
	for (int i = 0; i < 3; i++)
		program.cell[zeros[i]].v = number(0);
	program.cell[V_RLENGTH].v = number(-1);
	Array *env = program.cell[V_ENVIRON].a = array_new();
	for (char **e = environ; e && *e; e++) {
		char *eq = strchr(*e, '=');
		if (!eq)
			continue;
		Str *key = str_new(*e, (size_t)(eq - *e));
		*array_get(env, key, true) = input_value(eq + 1, strlen(eq + 1));
		str_drop(key);
	}
	Array *args = program.cell[V_ARGV].a = array_new();
	for (int i = 0; i < argc; i++) {
		Value n = number(i);
		Str *key = to_str(&n);
		*array_get(args, key, true) = input_value(argv[i], strlen(argv[i]));
		str_drop(key);
	}
	program.cell[V_ARGC].v = number(argc);
}

static bool is_assignment(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return n && s[n] == '=' && !(*s >= '0' && *s <= '9');
}

int awk_main(int argc, char **argv)
{
	Text source = {0};
	const char *vars[256], *fs = NULL;
	int nvars = 0, i = 1;
	bool from_file = false;
	text_reserve(&source, 0);
	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "--posix") || !strcmp(argv[i], "--re-interval"))
			continue;
		int c = argv[i][1];
		if (!strchr("Fvf", c))
			usage_error("unknown option %s", argv[i]);
		const char *value = argv[i] + 2;
		if (!*value) {
			if (++i >= argc)
				usage_error("option -%c needs an argument", c);
			value = argv[i];
		}
		if (c == 'F')
			fs = !strcmp(value, "t") ? "\t" : value;
		else if (c == 'v') {
			if (!is_assignment(value) || nvars == 256)
				usage_error("-v needs name=value");
			vars[nvars++] = value;
		} else {
			if (from_file)
				text_char(&source, '\n');
			if (!slurp(value, &source))
				return 2;
			from_file = true;
		}
	}
	if (!from_file) {
		if (i >= argc)
			usage_error("missing program");
		text_str(&source, argv[i++]);
	}
	awk_parse(source.s);
	argv[i - 1] = "awk";
	defaults(argc - i + 1, argv + i - 1);
	fs_changed();
	rs_changed();
	for (int k = 0; k < nvars; k++)
		set_variable(vars[k]);
	if (fs) {
		char *text = process_escapes(fs);
		set_global(V_FS, text_value(text, strlen(text)));
	}
	io_start(argc - i + 1, argv + i - 1);
	Flow f = run_rules(RULE_BEGIN);
	if (f != EXIT && (has_rules(RULE_ALWAYS) || has_rules(RULE_END)))
		while (next_record()) {
			f = run_rules(RULE_ALWAYS);
			if (f == EXIT)
				break;
			if (f == NEXT_FILE)
				next_file();
		}
	run_rules(RULE_END); /* also after exit in BEGIN or in a rule */
	int status = close_all();
	return exit_status ? exit_status : status;
}
