/* regex_match.c - runs compiled patterns: see regex.h and regex_impl.h.
 *
 * Three matchers share one program: a lazily built deterministic automaton
 * (where does the match lie), a simulation that carries groups (what did each
 * group match inside it), and backtracking for back references. */
#include "regex_impl.h"

static int prev_kind(const char *text, size_t at)
{
	if (at == 0)
		return PREV_NONE;
	unsigned char c = (unsigned char)text[at - 1];
	return c == '\n' ? PREV_NEWLINE : is_word(c) ? PREV_WORD : PREV_OTHER;
}

bool assertion_holds(const Regex *re, Assertion a, int prev, int c)
{
	bool before = prev == PREV_WORD, after = c != TEXT_END && is_word(c);
	switch (a) {
	case AT_LINE_START: return prev == PREV_NONE || (re->multiline && prev == PREV_NEWLINE);
	case AT_LINE_END: return c == TEXT_END || (re->multiline && c == '\n');
	case AT_TEXT_START: return prev == PREV_NONE;
	case AT_TEXT_END: return c == TEXT_END;
	case AT_WORD_EDGE: return before != after;
	case AT_NOT_WORD_EDGE: return before == after;
	case AT_WORD_START: return !before && after;
	case AT_WORD_END: return before && !after;
	case AT_NO_WORD_BEFORE: return !before;
	case AT_NO_WORD_AFTER: return !after;
	}
	return false;
}

/* ---- the automaton ---- */

enum { MAX_STATES = 4000, MAX_STATE_BYTES = 8 << 20, DEAD = 0 };

static void forget_states(Regex *re)
{
	for (size_t i = 0; i < re->nstates; i++) {
		free(re->states[i].pcs);
		free(re->states[i].next);
	}
	re->nstates = re->state_bytes = 0;
	for (size_t i = 0; i < re->table_size; i++)
		re->table[i] = -1;
}

static void prepare(Regex *re)
{
	if (re->stack)
		return;
	re->stack = xmalloc((2 * re->nprog + 2) * sizeof *re->stack);
	re->set_a = xmalloc((re->nprog + 1) * sizeof *re->set_a);
	re->seen = xcalloc(re->nprog + 1, sizeof *re->seen);
	re->table_size = 16384;
	re->table = xmalloc(re->table_size * sizeof *re->table);
	forget_states(re);
}

/* intern finds or makes the state with these places, returning its number. */
static int intern(Regex *re, const int *pcs, int npcs, int prev, bool searching)
{
	uint32_t h = (uint32_t)(prev * 2 + searching) * 2654435761u;
	for (int i = 0; i < npcs; i++)
		h = (h ^ (uint32_t)pcs[i]) * 16777619u;
	size_t slot = h & (re->table_size - 1);
	for (; re->table[slot] >= 0; slot = (slot + 1) & (re->table_size - 1)) {
		DState *s = &re->states[re->table[slot]];
		if (s->hash == h && s->npcs == npcs && s->prev == prev && s->searching == searching &&
		    (npcs == 0 || !memcmp(s->pcs, pcs, (size_t)npcs * sizeof *pcs)))
			return re->table[slot];
	}
	GROW(re->states, re->nstates, re->capstates);
	DState *s = &re->states[re->nstates];
	size_t n = (size_t)re->nclasses + 1;
	s->pcs = xmalloc((size_t)npcs * sizeof *pcs);
	if (npcs)
		memcpy(s->pcs, pcs, (size_t)npcs * sizeof *pcs);
	s->npcs = npcs;
	s->prev = prev;
	s->searching = searching;
	s->hash = h;
	s->next = xmalloc(n * sizeof *s->next);
	for (size_t i = 0; i < n; i++)
		s->next[i] = UNKNOWN;
	re->state_bytes += (size_t)npcs * sizeof *pcs + n * sizeof *s->next + sizeof *s;
	re->table[slot] = (int)re->nstates;
	return (int)re->nstates++;
}

/* step works out where state s goes on byte class k. */
static int step(Regex *re, int state, int k)
{
	DState *s = &re->states[state];
	int c = k == re->nclasses ? TEXT_END : re->sample[k];
	bool matched = false, searching = s->searching;
	int nnext = 0;
	unsigned gen = ++re->generation;
	for (int i = 0; i < s->npcs; i++) {
		int depth = 0;
		re->stack[depth++] = s->pcs[i];
		while (depth > 0) {
			int pc = re->stack[--depth];
			if (re->seen[pc] == gen)
				continue;
			re->seen[pc] = gen;
			const Inst *in = &re->prog[pc];
			switch (in->op) {
			case OP_SET:
				if (c != TEXT_END && set_has(&re->sets[in->arg], (unsigned)c))
					re->set_a[nnext++] = pc + 1;
				break;
			case OP_SPLIT:
				re->stack[depth++] = in->other;
				re->stack[depth++] = in->arg;
				break;
			case OP_JUMP: re->stack[depth++] = in->arg; break;
			case OP_ASSERT:
				if (assertion_holds(re, (Assertion)in->arg, s->prev, c))
					re->stack[depth++] = pc + 1;
				break;
			case OP_MATCH: matched = true; break;
			default: re->stack[depth++] = pc + 1;
			}
		}
	}
	if (searching && c != TEXT_END)
		re->set_a[nnext++] = 0;
	int prev = PREV_OTHER;
	if (re->has_assert)
		prev = c == '\n' ? PREV_NEWLINE : is_word(c) ? PREV_WORD : PREV_OTHER;
	bool full = re->nstates >= MAX_STATES || re->state_bytes > MAX_STATE_BYTES;
	if (full) {
		forget_states(re);
		intern(re, NULL, 0, PREV_OTHER, false); /* the dead state keeps its number */
	}
	int next = nnext == 0 ? DEAD : intern(re, re->set_a, nnext, prev, searching);
	int result = next << 1 | matched;
	if (!full)
		re->states[state].next[k] = result;
	return result;
}

static int start_state(Regex *re, const char *text, size_t at, bool searching)
{
	if (re->nstates == 0)
		intern(re, NULL, 0, PREV_OTHER, false);
	int zero = 0;
	return intern(re, &zero, 1, re->has_assert ? prev_kind(text, at) : PREV_OTHER, searching);
}

/* run steps through text from at. When searching it stops at the end of the
 * first match to be complete; else it returns the end of the longest match
 * that starts at at. -1: no match. */
static ptrdiff_t run(Regex *re, const char *text, size_t len, size_t at, bool searching)
{
	ptrdiff_t last = -1;
	int state = start_state(re, text, at, searching);
	for (size_t i = at; i <= len; i++) {
		int k = i < len ? re->class_of[(unsigned char)text[i]] : re->nclasses;
		int t = re->states[state].next[k];
		if (t == UNKNOWN)
			t = step(re, state, k);
		if (t & 1) {
			last = (ptrdiff_t)i;
			if (searching)
				break;
		}
		state = t >> 1;
		if (state == DEAD)
			break;
	}
	return last;
}

/* ---- groups ---- */

typedef struct {
	int pc;   /* -1: restore */
	int slot;
	ptrdiff_t old;
} Todo;

typedef struct {
	Regex *re;
	int nslots;
	int count[2];
	Todo *todo;
	const char *text;
} Groups;

/* add_thread follows pc to the places that consume a byte, in order of
 * preference, carrying what the groups have matched so far. */
static void add_thread(Groups *g, int which, int pc, ptrdiff_t *caps, int prev, int c, ptrdiff_t at)
{
	Regex *re = g->re;
	int depth = 0;
	g->todo[depth++] = (Todo){pc, 0, 0};
	while (depth > 0) {
		Todo t = g->todo[--depth];
		if (t.pc < 0) {
			caps[t.slot] = t.old;
			continue;
		}
		if (re->seen[t.pc] == re->generation)
			continue;
		re->seen[t.pc] = re->generation;
		const Inst *in = &re->prog[t.pc];
		switch (in->op) {
		case OP_SET:
		case OP_MATCH: {
			int n = g->count[which]++;
			re->list[which][n] = t.pc;
			memcpy(re->caps[which] + (size_t)n * (size_t)g->nslots, caps,
			       (size_t)g->nslots * sizeof *caps);
			break;
		}
		case OP_SPLIT:
			g->todo[depth++] = (Todo){in->other, 0, 0};
			g->todo[depth++] = (Todo){in->arg, 0, 0};
			break;
		case OP_JUMP: g->todo[depth++] = (Todo){in->arg, 0, 0}; break;
		case OP_ASSERT:
			if (assertion_holds(re, (Assertion)in->arg, prev, c))
				g->todo[depth++] = (Todo){t.pc + 1, 0, 0};
			break;
		case OP_SAVE:
			if (in->arg < g->nslots) {
				g->todo[depth++] = (Todo){-1, in->arg, caps[in->arg]};
				caps[in->arg] = at;
			}
			g->todo[depth++] = (Todo){t.pc + 1, 0, 0};
			break;
		default: g->todo[depth++] = (Todo){t.pc + 1, 0, 0};
		}
	}
}

/* find_groups fills spans for the match text[start:end]. */
static void find_groups(Regex *re, const char *text, size_t len, size_t start, size_t end, Span *spans,
			size_t nspans)
{
	Groups g = {.re = re, .nslots = (int)nspans * 2, .text = text};
	size_t n = re->nprog + 1;
	for (int i = 0; i < 2; i++) {
		re->list[i] = xmalloc(n * sizeof *re->list[i]);
		re->caps[i] = xmalloc(n * (size_t)g.nslots * sizeof(ptrdiff_t));
	}
	g.todo = xmalloc((2 * n + 2) * sizeof *g.todo);
	ptrdiff_t caps[2 * RE_MAX_GROUPS], best[2 * RE_MAX_GROUPS];
	for (int i = 0; i < g.nslots; i++)
		caps[i] = best[i] = -1;
	int now = 0;
	re->generation++;
	add_thread(&g, now, 0, caps, prev_kind(text, start), start < len ? (unsigned char)text[start] : TEXT_END,
		   (ptrdiff_t)start);
	for (size_t i = start;; i++) {
		if (i == end) {
			for (int k = 0; k < g.count[now]; k++)
				if (re->prog[re->list[now][k]].op == OP_MATCH) {
					memcpy(best, re->caps[now] + (size_t)k * (size_t)g.nslots,
					       (size_t)g.nslots * sizeof *best);
					break;
				}
			break;
		}
		int then = !now, prev = prev_kind(text, i + 1);
		int c = i + 1 < len ? (unsigned char)text[i + 1] : TEXT_END;
		g.count[then] = 0;
		re->generation++;
		for (int k = 0; k < g.count[now]; k++) {
			const Inst *in = &re->prog[re->list[now][k]];
			if (in->op == OP_SET && set_has(&re->sets[in->arg], (unsigned char)text[i])) {
				memcpy(caps, re->caps[now] + (size_t)k * (size_t)g.nslots,
				       (size_t)g.nslots * sizeof *caps);
				add_thread(&g, then, re->list[now][k] + 1, caps, prev, c, (ptrdiff_t)i + 1);
			}
		}
		now = then;
	}
	for (size_t i = 1; i < nspans; i++)
		spans[i] = (Span){best[2 * i], best[2 * i + 1]};
	for (int i = 0; i < 2; i++) {
		free(re->list[i]);
		free(re->caps[i]);
	}
	free(g.todo);
}

/* ---- back references ---- */

typedef struct {
	int pc;        /* >= 0: go on here; -1: undo a slot; -2: undo a loop mark */
	ptrdiff_t at;  /* position, or the old value */
	int slot;
} Choice;

/* backtrack tries every way to match at start and keeps the longest. */
static ptrdiff_t backtrack(Regex *re, const char *text, size_t len, size_t start, Span *spans, size_t nspans)
{
	size_t nslots = 2 * ((size_t)re->ngroups + 1);
	ptrdiff_t *slots = xmalloc(nslots * sizeof *slots), *best = xmalloc(nslots * sizeof *best);
	ptrdiff_t *marks = xcalloc((size_t)re->nloops + 1, sizeof *marks);
	for (size_t i = 0; i < nslots; i++)
		slots[i] = best[i] = -1;
	Choice *stack = NULL;
	size_t depth = 0, cap = 0;
	ptrdiff_t longest = -1;
#define PUSH(...)                                                              \
	do {                                                                   \
		GROW(stack, depth, cap);                                       \
		stack[depth++] = (Choice){__VA_ARGS__};                        \
	} while (0)
	PUSH(0, (ptrdiff_t)start, 0);
	while (depth > 0 && longest < (ptrdiff_t)len) {
		Choice ch = stack[--depth];
		if (ch.pc == -1) {
			slots[ch.slot] = ch.at;
			continue;
		}
		if (ch.pc == -2) {
			marks[ch.slot] = ch.at;
			continue;
		}
		int pc = ch.pc;
		size_t at = (size_t)ch.at;
		for (bool alive = true; alive;) {
			const Inst *in = &re->prog[pc];
			switch (in->op) {
			case OP_SET:
				alive = at < len && set_has(&re->sets[in->arg], (unsigned char)text[at]);
				at++;
				pc++;
				break;
			case OP_SPLIT:
				PUSH(in->other, (ptrdiff_t)at, 0);
				pc = in->arg;
				break;
			case OP_JUMP: pc = in->arg; break;
			case OP_SAVE:
				PUSH(-1, slots[in->arg], in->arg);
				slots[in->arg] = (ptrdiff_t)at;
				pc++;
				break;
			case OP_ASSERT:
				alive = assertion_holds(re, (Assertion)in->arg, prev_kind(text, at),
							at < len ? (unsigned char)text[at] : TEXT_END);
				pc++;
				break;
			case OP_MARK:
				PUSH(-2, marks[in->arg], in->arg);
				marks[in->arg] = (ptrdiff_t)at;
				pc++;
				break;
			case OP_PROGRESS: pc = marks[in->arg] == (ptrdiff_t)at ? in->other : pc + 1; break;
			case OP_BACKREF: {
				ptrdiff_t s = slots[2 * in->arg], e = slots[2 * in->arg + 1];
				size_t n = s >= 0 && e >= s ? (size_t)(e - s) : 0;
				alive = s >= 0 && e >= s && n <= len - at;
				for (size_t i = 0; alive && i < n; i++) {
					unsigned char x = (unsigned char)text[(size_t)s + i];
					unsigned char y = (unsigned char)text[at + i];
					if (re->icase && x >= 'A' && x <= 'Z')
						x = (unsigned char)(x + 32);
					if (re->icase && y >= 'A' && y <= 'Z')
						y = (unsigned char)(y + 32);
					alive = x == y;
				}
				at += n;
				pc++;
				break;
			}
			case OP_MATCH:
				if ((ptrdiff_t)at > longest) {
					longest = (ptrdiff_t)at;
					memcpy(best, slots, nslots * sizeof *best);
				}
				alive = false;
				break;
			}
		}
	}
#undef PUSH
	if (longest >= 0)
		for (size_t i = 1; i < nspans; i++)
			spans[i] = 2 * i + 1 < nslots ? (Span){best[2 * i], best[2 * i + 1]} : (Span){-1, -1};
	free(stack);
	free(slots);
	free(best);
	free(marks);
	return longest;
}

/* ---- search ---- */

static const char *find_bytes(const char *s, size_t n, const char *what, size_t m)
{
	if (m == 1)
		return memchr(s, what[0], n);
	for (const char *end = s + n; (size_t)(end - s) >= m;) {
		const char *p = memchr(s, what[0], (size_t)(end - s) - m + 1);
		if (!p)
			return NULL;
		if (!memcmp(p, what, m))
			return p;
		s = p + 1;
	}
	return NULL;
}

bool regex_search(Regex *re, const char *text, size_t len, size_t from, Span *spans, size_t nspans)
{
	for (size_t i = 0; i < nspans; i++)
		spans[i] = (Span){-1, -1};
	if (from > len)
		return false;
	if (re->literal) {
		const char *p = find_bytes(text + from, len - from, re->lit.s, re->lit.len);
		if (p && nspans)
			spans[0] = (Span){p - text, p - text + (ptrdiff_t)re->lit.len};
		return p != NULL;
	}
	prepare(re);
	if (re->has_backref) {
		for (size_t at = from; at <= len; at++) {
			ptrdiff_t end = backtrack(re, text, len, at, spans, nspans);
			if (end >= 0) {
				if (nspans)
					spans[0] = (Span){(ptrdiff_t)at, end};
				return true;
			}
		}
		return false;
	}
	ptrdiff_t first_end = run(re, text, len, from, true);
	if (first_end < 0)
		return false;
	if (nspans == 0)
		return true;
	for (size_t at = from; at <= (size_t)first_end; at++) {
		ptrdiff_t end = run(re, text, len, at, false);
		if (end < 0)
			continue;
		spans[0] = (Span){(ptrdiff_t)at, end};
		if (nspans > 1 && re->ngroups > 0)
			find_groups(re, text, len, at, (size_t)end, spans,
				    nspans > RE_MAX_GROUPS ? RE_MAX_GROUPS : nspans);
		return true;
	}
	return false;
}
