/* regex.c - parses patterns and compiles them: see regex.h.
 *
 * A pattern becomes a tree, the tree a program for a machine that may be in
 * several places at once (Thompson's construction). regex_match.c runs it. */
#include "regex_impl.h"

#include <ctype.h>

typedef enum { N_EMPTY, N_SET, N_CAT, N_ALT, N_REPEAT, N_GROUP, N_ASSERT, N_BACKREF } NodeKind;

typedef struct Node {
	NodeKind kind;
	struct Node *a, *b;
	int arg;      /* set, group, assertion or back reference */
	int min, max; /* repetition; max -1: no limit */
} Node;

typedef struct {
	Regex *re;
	const char *p, *start, *end;
	int flags;
	int depth;
	int base_group;
	const char *error;
} Parser;

enum { MAX_REPEAT = 32767, MAX_PROGRAM = 300000, MAX_DEPTH = 500 };

static Node *node(NodeKind kind, Node *a, Node *b)
{
	Node *n = xcalloc(1, sizeof *n);
	n->kind = kind;
	n->a = a;
	n->b = b;
	return n;
}

static Node *leaf(NodeKind kind, int arg)
{
	Node *n = node(kind, NULL, NULL);
	n->arg = arg;
	return n;
}

static Node *cat(Node *a, Node *b)
{
	if (!a || a->kind == N_EMPTY)
		return b;
	if (!b || b->kind == N_EMPTY)
		return a;
	return node(N_CAT, a, b);
}

static Node *fail(Parser *ps, const char *why)
{
	if (!ps->error)
		ps->error = why;
	ps->p = ps->end;
	return leaf(N_EMPTY, 0);
}

/* ---- sets ---- */

static Node *set_node(Parser *ps, Set s)
{
	Regex *re = ps->re;
	if (ps->flags & RE_ICASE)
		for (unsigned c = 'a'; c <= 'z'; c++) {
			unsigned u = c - 'a' + 'A';
			if (set_has(&s, c) || set_has(&s, u)) {
				set_add(&s, c);
				set_add(&s, u);
			}
		}
	GROW(re->sets, re->nsets, re->capsets);
	re->sets[re->nsets] = s;
	return leaf(N_SET, (int)re->nsets++);
}

static Node *byte_node(Parser *ps, int c)
{
	Set s = {{0}};
	set_add(&s, (unsigned char)c);
	return set_node(ps, s);
}

static void set_invert(Set *s)
{
	for (int i = 0; i < 4; i++)
		s->bits[i] = ~s->bits[i];
}

static Node *class_node(Parser *ps, int letter)
{
	Set s = {{0}};
	for (unsigned c = 0; c < 256; c++)
		if (tolower(letter) == 'w' ? is_word((int)c) : c < 128 && isspace((int)c))
			set_add(&s, c);
	if (isupper(letter))
		set_invert(&s);
	return set_node(ps, s);
}

static bool add_class(Set *s, const char *name, size_t n)
{
	static const struct {
		const char *name;
		int (*has)(int);
	} classes[] = {{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum}, {"upper", isupper},
		       {"lower", islower}, {"space", isspace}, {"blank", isblank}, {"punct", ispunct},
		       {"print", isprint}, {"graph", isgraph}, {"cntrl", iscntrl}, {"xdigit", isxdigit}};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strlen(classes[i].name) == n && !memcmp(classes[i].name, name, n)) {
			for (unsigned c = 0; c < 128; c++)
				if (classes[i].has((int)c))
					set_add(s, c);
			return true;
		}
	return false;
}

/* bracket_item reads one character or [.x.] of a bracket expression. */
static int bracket_item(Parser *ps)
{
	if (*ps->p == '[' && ps->p + 1 < ps->end && ps->p[1] == '.') {
		const char *p = ps->p + 2;
		if (p + 2 < ps->end && p[1] == '.' && p[2] == ']') {
			ps->p = p + 3;
			return (unsigned char)*p;
		}
		fail(ps, "invalid collation character");
		return 0;
	}
	if (*ps->p == '\\' && ps->p + 1 < ps->end) {
		int c = ps->p[1];
		if (ps->flags & RE_AWK || (ps->flags & RE_SED && strchr("ntfvr", c))) {
			ps->p++;
			if (strchr("abfnrtv01234567\\", c))
				return unescape_char(&ps->p) & 255;
			ps->p++;
			return c & 255;
		}
	}
	return (unsigned char)*ps->p++;
}

static Node *parse_bracket(Parser *ps)
{
	Set s = {{0}};
	bool inverted = false, first = true;
	if (ps->p < ps->end && *ps->p == '^') {
		inverted = true;
		ps->p++;
	}
	for (;; first = false) {
		if (ps->p >= ps->end)
			return fail(ps, "Unmatched [, [^, [:, [., or [=");
		if (*ps->p == ']' && !first) {
			ps->p++;
			break;
		}
		if (*ps->p == '[' && ps->p + 1 < ps->end && (ps->p[1] == ':' || ps->p[1] == '=')) {
			char kind = ps->p[1];
			const char *name = ps->p + 2, *q = name;
			while (q + 1 < ps->end && !(q[0] == kind && q[1] == ']'))
				q++;
			if (q + 1 >= ps->end)
				return fail(ps, "Unmatched [, [^, [:, [., or [=");
			if (kind == '=' && q - name == 1)
				set_add(&s, (unsigned char)*name);
			else if (kind == '=' || !add_class(&s, name, (size_t)(q - name)))
				return fail(ps, "Invalid character class name");
			ps->p = q + 2;
			continue;
		}
		int lo = bracket_item(ps), hi = lo;
		if (ps->p + 1 < ps->end && ps->p[0] == '-' && ps->p[1] != ']') {
			ps->p++;
			hi = bracket_item(ps);
			if (hi < lo)
				return fail(ps, "Invalid range end");
		}
		for (int c = lo; c <= hi; c++)
			set_add(&s, (unsigned)c);
	}
	Node *n = set_node(ps, s); /* folds case before the inversion */
	if (inverted)
		set_invert(&ps->re->sets[n->arg]);
	return n;
}

/* ---- atoms ---- */

static Node *parse_alternatives(Parser *ps, int depth);

static bool at_close(Parser *ps)
{
	if (ps->flags & RE_EXTENDED)
		return ps->depth > 0 && *ps->p == ')';
	return ps->p + 1 < ps->end && ps->p[0] == '\\' && ps->p[1] == ')';
}

static bool at_bar(Parser *ps)
{
	if (ps->flags & RE_EXTENDED)
		return *ps->p == '|';
	return ps->p + 1 < ps->end && ps->p[0] == '\\' && ps->p[1] == '|';
}

static Node *parse_group(Parser *ps)
{
	int group = ++ps->re->ngroups;
	if (ps->depth + 1 > MAX_DEPTH)
		return fail(ps, "Regular expression too big");
	ps->depth++;
	Node *inner = parse_alternatives(ps, ps->depth);
	if (ps->error)
		return inner;
	if (ps->p >= ps->end)
		return fail(ps, "Unmatched ( or \\(");
	ps->p += ps->flags & RE_EXTENDED ? 1 : 2;
	ps->depth--;
	Node *n = leaf(N_GROUP, group);
	n->a = inner;
	return n;
}

static Node *parse_escape(Parser *ps)
{
	if (ps->p >= ps->end)
		return fail(ps, "Trailing backslash");
	int c = (unsigned char)*ps->p++;
	if (ps->flags & RE_AWK) {
		if (c == 'y')
			return leaf(N_ASSERT, AT_WORD_EDGE);
		if (strchr("abfnrtv01234567", c) && c) {
			ps->p--;
			return byte_node(ps, unescape_char(&ps->p));
		}
	}
	if (ps->flags & RE_SED && (c == 'n' || c == 't' || c == 'f' || c == 'v' || c == 'r' || c == 'x')) {
		ps->p--;
		return byte_node(ps, unescape_char(&ps->p));
	}
	switch (c) {
	case 'w': case 'W': case 's': case 'S': return class_node(ps, c);
	case 'b': return leaf(N_ASSERT, AT_WORD_EDGE);
	case 'B': return leaf(N_ASSERT, AT_NOT_WORD_EDGE);
	case '<': return leaf(N_ASSERT, AT_WORD_START);
	case '>': return leaf(N_ASSERT, AT_WORD_END);
	case '`': return leaf(N_ASSERT, AT_TEXT_START);
	case '\'': return leaf(N_ASSERT, AT_TEXT_END);
	}
	if (c >= '1' && c <= '9' && !(ps->flags & RE_AWK)) {
		if (ps->base_group + c - '0' > ps->re->ngroups)
			return fail(ps, "Invalid back reference");
		ps->re->has_backref = true;
		return leaf(N_BACKREF, ps->base_group + c - '0');
	}
	if (!(ps->flags & RE_EXTENDED)) {
		if (c == '(')
			return parse_group(ps);
		if (c == ')')
			return fail(ps, "Unmatched ) or \\)");
		if (c == '{')
			return fail(ps, "Invalid preceding regular expression");
	}
	return byte_node(ps, c);
}

/* starts_branch: the parser stands where a BRE's ^ anchors and * is plain. */
static Node *parse_atom(Parser *ps, bool starts_branch)
{
	bool ere = ps->flags & RE_EXTENDED;
	int c = (unsigned char)*ps->p++;
	switch (c) {
	case '\\': return parse_escape(ps);
	case '[': return parse_bracket(ps);
	case '.': {
		Set all = {{0}};
		set_invert(&all);
		return set_node(ps, all);
	}
	case '^':
		if (ere || starts_branch)
			return leaf(N_ASSERT, AT_LINE_START);
		break;
	case '$':
		if (ere || ps->p >= ps->end || at_close(ps) || at_bar(ps))
			return leaf(N_ASSERT, AT_LINE_END);
		break;
	case '(':
		if (ere)
			return parse_group(ps);
		break;
	}
	return byte_node(ps, c);
}

/* parse_interval reads what follows { and reports whether it was one. */
static bool parse_interval(Parser *ps, int *min, int *max)
{
	const char *p = ps->p;
	bool ere = ps->flags & RE_EXTENDED;
	long lo = 0, hi = -1;
	bool digits = false;
	while (p < ps->end && isdigit((unsigned char)*p)) {
		lo = lo * 10 + (*p++ - '0');
		digits = true;
		if (lo > MAX_REPEAT)
			break;
	}
	if (p < ps->end && *p == ',') {
		p++;
		if (p < ps->end && isdigit((unsigned char)*p)) {
			hi = 0;
			while (p < ps->end && isdigit((unsigned char)*p) && hi <= MAX_REPEAT)
				hi = hi * 10 + (*p++ - '0');
		}
	} else {
		if (!digits)
			return false;
		hi = lo;
	}
	if (!ere) {
		if (p >= ps->end || *p != '\\')
			return false;
		p++;
	}
	if (p >= ps->end || *p != '}')
		return false;
	if (lo > MAX_REPEAT || hi > MAX_REPEAT)
		fail(ps, "Regular expression too big");
	else if (hi >= 0 && lo > hi)
		fail(ps, "Invalid content of \\{\\}");
	else
		ps->p = p + 1;
	*min = (int)lo;
	*max = (int)hi;
	return true;
}

/* parse_repeat wraps atom in the repetition operators that follow it. */
static Node *parse_repeat(Parser *ps, Node *atom)
{
	bool ere = ps->flags & RE_EXTENDED;
	while (ps->p < ps->end && !ps->error) {
		int min, max = -1;
		const char *before = ps->p;
		bool escaped = !ere && ps->p + 1 < ps->end && *ps->p == '\\';
		int c = escaped ? ps->p[1] : *ps->p;
		if (c == '*' && !escaped)
			min = 0;
		else if (c == '+' && (ere || escaped))
			min = 1;
		else if (c == '?' && (ere || escaped))
			min = 0, max = 1;
		else if (c == '{' && (ere || escaped)) {
			ps->p += escaped ? 2 : 1;
			if (!parse_interval(ps, &min, &max)) {
				if (ere) {
					ps->p = before;
					return atom;
				}
				return fail(ps, "Unmatched \\{");
			}
			ps->p -= escaped ? 2 : 1; /* added again below */
		} else
			return atom;
		if (ps->error)
			return atom;
		ps->p += escaped ? 2 : 1;
		Node *n = node(N_REPEAT, atom, NULL);
		n->min = min;
		n->max = max;
		atom = n;
	}
	return atom;
}

static Node *parse_branch(Parser *ps)
{
	bool ere = ps->flags & RE_EXTENDED;
	Node *all = leaf(N_EMPTY, 0);
	bool starts = true;
	while (ps->p < ps->end && !ps->error && !at_close(ps) && !at_bar(ps)) {
		if (ere && starts && strchr("*+?", *ps->p)) {
			ps->p++; /* nothing to repeat */
			continue;
		}
		bool plain_star = !ere && starts && *ps->p == '*';
		if (ere && *ps->p == '{' && starts) {
			int min, max;
			ps->p++;
			if (parse_interval(ps, &min, &max))
				continue; /* nothing to repeat */
			all = cat(all, parse_repeat(ps, byte_node(ps, '{')));
			starts = false;
			continue;
		}
		Node *atom;
		if (plain_star) {
			ps->p++;
			atom = byte_node(ps, '*');
		} else
			atom = parse_atom(ps, starts);
		bool anchor = atom->kind == N_ASSERT && atom->arg == AT_LINE_START;
		if (!anchor || ere)
			atom = parse_repeat(ps, atom);
		starts = anchor && !ere; /* after ^ a star is plain */
		if (starts && ps->p < ps->end && *ps->p == '^') {
			all = cat(all, atom);
			ps->p++;
			atom = parse_repeat(ps, byte_node(ps, '^'));
			starts = false;
		}
		all = cat(all, atom);
	}
	return all;
}

static Node *parse_alternatives(Parser *ps, int depth)
{
	Node *all = parse_branch(ps);
	while (ps->p < ps->end && !ps->error && at_bar(ps)) {
		ps->p += ps->flags & RE_EXTENDED ? 1 : 2;
		all = node(N_ALT, all, parse_branch(ps));
	}
	if (depth == 0 && ps->p < ps->end && !ps->error && at_close(ps))
		return fail(ps, "Unmatched ) or \\)");
	return all;
}

static Node *parse_literal(Parser *ps)
{
	Node *all = leaf(N_EMPTY, 0);
	while (ps->p < ps->end)
		all = cat(all, byte_node(ps, *ps->p++));
	return all;
}

/* ---- code ---- */

static int emit(Regex *re, Op op, int arg, int other)
{
	GROW(re->prog, re->nprog, re->capprog);
	re->prog[re->nprog] = (Inst){op, arg, other};
	return (int)re->nprog++;
}

static bool may_be_empty(const Node *n)
{
	switch (n->kind) {
	case N_SET: return false;
	case N_CAT: return may_be_empty(n->a) && may_be_empty(n->b);
	case N_ALT: return may_be_empty(n->a) || may_be_empty(n->b);
	case N_REPEAT: return n->min == 0 || may_be_empty(n->a);
	case N_GROUP: return may_be_empty(n->a);
	default: return true;
	}
}

static bool gen(Regex *re, const Node *n);

/* gen_star: L: split body, out; body; jump L; out: */
static bool gen_star(Regex *re, const Node *body)
{
	bool guard = may_be_empty(body);
	int loop = guard ? re->nloops++ : 0;
	int split = emit(re, OP_SPLIT, 0, 0);
	re->prog[split].arg = (int)re->nprog;
	if (guard)
		emit(re, OP_MARK, loop, 0);
	if (!gen(re, body))
		return false;
	int progress = guard ? emit(re, OP_PROGRESS, loop, 0) : -1;
	emit(re, OP_JUMP, split, 0);
	re->prog[split].other = (int)re->nprog;
	if (guard)
		re->prog[progress].other = (int)re->nprog;
	return true;
}

static bool gen_repeat(Regex *re, const Node *n)
{
	for (int i = 0; i < n->min; i++)
		if (!gen(re, n->a))
			return false;
	if (n->max < 0)
		return gen_star(re, n->a);
	int optional = n->max - n->min;
	int *splits = xmalloc((size_t)(optional + 1) * sizeof *splits);
	bool ok = true;
	int made = 0;
	for (; made < optional && ok; made++) {
		splits[made] = emit(re, OP_SPLIT, 0, 0);
		re->prog[splits[made]].arg = (int)re->nprog;
		ok = gen(re, n->a);
	}
	for (int i = 0; i < made; i++)
		re->prog[splits[i]].other = (int)re->nprog;
	free(splits);
	return ok;
}

static bool gen(Regex *re, const Node *n)
{
	if (re->nprog > MAX_PROGRAM)
		return false;
	switch (n->kind) {
	case N_EMPTY: return true;
	case N_SET: emit(re, OP_SET, n->arg, 0); return true;
	case N_CAT: return gen(re, n->a) && gen(re, n->b);
	case N_ALT: {
		int split = emit(re, OP_SPLIT, (int)re->nprog + 1, 0);
		if (!gen(re, n->a))
			return false;
		int jump = emit(re, OP_JUMP, 0, 0);
		re->prog[split].other = (int)re->nprog;
		if (!gen(re, n->b))
			return false;
		re->prog[jump].arg = (int)re->nprog;
		return true;
	}
	case N_REPEAT: return gen_repeat(re, n);
	case N_GROUP:
		emit(re, OP_SAVE, 2 * n->arg, 0);
		if (!gen(re, n->a))
			return false;
		emit(re, OP_SAVE, 2 * n->arg + 1, 0);
		return true;
	case N_ASSERT:
		re->has_assert = true;
		emit(re, OP_ASSERT, n->arg, 0);
		return true;
	case N_BACKREF: emit(re, OP_BACKREF, n->arg, 0); return true;
	}
	return false;
}

/* split_classes groups bytes that no set and no assertion tells apart. */
static void split_classes(Regex *re)
{
	Set extra[2] = {{{0}}, {{0}}};
	for (unsigned c = 0; c < 256; c++)
		if (is_word((int)c))
			set_add(&extra[0], c);
	set_add(&extra[1], '\n');
	size_t total = re->nsets + (re->has_assert ? 2 : 0);
	re->nclasses = 1;
	for (size_t i = 0; i < total && re->nclasses < 256; i++) {
		const Set *s = i < re->nsets ? &re->sets[i] : &extra[i - re->nsets];
		int inside[256], outside_seen[256] = {0};
		for (int k = 0; k < 256; k++)
			inside[k] = -1;
		for (unsigned c = 0; c < 256; c++)
			if (!set_has(s, c))
				outside_seen[re->class_of[c]] = 1;
		for (unsigned c = 0; c < 256; c++) {
			int k = re->class_of[c];
			if (!set_has(s, c) || !outside_seen[k])
				continue;
			if (inside[k] < 0)
				inside[k] = re->nclasses++;
			re->class_of[c] = (unsigned char)inside[k];
		}
	}
	for (int c = 255; c >= 0; c--)
		re->sample[re->class_of[c]] = (unsigned char)c;
}

/* find_literal notes when the pattern is nothing but bytes. */
static void find_literal(Regex *re, const Node *n)
{
	if (re->icase || re->has_assert || re->has_backref || re->ngroups)
		return;
	Text lit = {0};
	text_reserve(&lit, 0);
	for (size_t i = 0; i + 1 < re->nprog; i++) {
		if (re->prog[i].op != OP_SET)
			return;
		const Set *s = &re->sets[re->prog[i].arg];
		int count = 0, byte = 0;
		for (unsigned c = 0; c < 256; c++)
			if (set_has(s, c))
				count++, byte = (int)c;
		if (count != 1)
			return;
		text_char(&lit, byte);
	}
	(void)n;
	re->literal = lit.len > 0;
	re->lit = lit;
}

Regex *regex_compile(const Pattern *patterns, size_t n, int flags, const char **error)
{
	Regex *re = xcalloc(1, sizeof *re);
	re->icase = flags & RE_ICASE;
	re->multiline = flags & RE_MULTILINE;
	Node *all = NULL;
	for (size_t i = 0; i < n; i++) {
		Parser ps = {.re = re, .p = patterns[i].s, .start = patterns[i].s,
			     .end = patterns[i].s + patterns[i].len, .flags = flags, .base_group = re->ngroups};
		Node *one = flags & RE_LITERAL ? parse_literal(&ps) : parse_alternatives(&ps, 0);
		if (ps.error) {
			*error = ps.error;
			return NULL;
		}
		all = all ? node(N_ALT, all, one) : one;
	}
	if (!all) { /* no pattern matches nothing: an empty set */
		Parser ps = {.re = re};
		Set none = {{0}};
		all = set_node(&ps, none);
	}
	if (flags & RE_WHOLE_LINE)
		all = cat(cat(leaf(N_ASSERT, AT_TEXT_START), all), leaf(N_ASSERT, AT_TEXT_END));
	else if (flags & RE_WHOLE_WORD)
		all = cat(cat(leaf(N_ASSERT, AT_NO_WORD_BEFORE), all), leaf(N_ASSERT, AT_NO_WORD_AFTER));
	if (!gen(re, all)) {
		*error = "Regular expression too big";
		return NULL;
	}
	emit(re, OP_MATCH, 0, 0);
	find_literal(re, all);
	split_classes(re);
	return re;
}

size_t regex_groups(const Regex *re) { return (size_t)re->ngroups; }
