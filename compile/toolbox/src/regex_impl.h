/* regex_impl.h - the compiled form shared by regex.c (compiler) and
 * regex_match.c (matchers). */
#ifndef REGEX_IMPL_H
#define REGEX_IMPL_H

#include "box.h"
#include "regex.h"

typedef enum {
	OP_SET,        /* consume one byte in sets[arg] */
	OP_SPLIT,      /* try arg, then other */
	OP_JUMP,       /* go to arg */
	OP_SAVE,       /* note the position in slot arg */
	OP_ASSERT,     /* continue if assertion arg holds */
	OP_BACKREF,    /* consume what group arg matched */
	OP_MARK,       /* loop arg begins an iteration here */
	OP_PROGRESS,   /* an empty iteration of loop arg ends the loop at other */
	OP_MATCH,
} Op;

typedef enum {
	AT_LINE_START,
	AT_LINE_END,
	AT_TEXT_START,
	AT_TEXT_END,
	AT_WORD_EDGE,
	AT_NOT_WORD_EDGE,
	AT_WORD_START,
	AT_WORD_END,
	AT_NO_WORD_BEFORE, /* for grep -w */
	AT_NO_WORD_AFTER,
} Assertion;

typedef struct {
	Op op;
	int arg, other;
} Inst;

typedef struct {
	uint64_t bits[4];
} Set;

static inline bool set_has(const Set *s, unsigned c) { return s->bits[c >> 6] >> (c & 63) & 1; }
static inline void set_add(Set *s, unsigned c) { s->bits[c >> 6] |= (uint64_t)1 << (c & 63); }
static inline bool is_word(int c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What stood before the current position, as far as assertions care. */
enum { PREV_NONE, PREV_NEWLINE, PREV_WORD, PREV_OTHER };

typedef struct DState {
	int *pcs;
	int npcs;
	int prev;       /* PREV_… */
	bool searching; /* the start is added at every step */
	uint32_t hash;
	int *next; /* by class: (state << 1 | matched) or UNKNOWN */
} DState;

enum { TEXT_END = 256, UNKNOWN = -1 };

struct Regex {
	Inst *prog;
	size_t nprog, capprog;
	Set *sets;
	size_t nsets, capsets;
	int ngroups, nloops;
	bool icase, multiline, has_backref, has_assert;
	bool literal; /* the whole pattern is the plain bytes in lit */
	Text lit;

	/* automaton */
	unsigned char class_of[256];
	int nclasses;          /* class nclasses is the end of the text */
	unsigned char sample[256]; /* a byte of each class */
	DState *states;
	size_t nstates, capstates, state_bytes;
	int *table; /* open-addressing hash of states */
	size_t table_size;
	int *stack, *set_a; /* scratch, nprog each */
	unsigned *seen, generation;

	/* group finder */
	ptrdiff_t *caps[2];
	int *list[2];
};

bool assertion_holds(const Regex *re, Assertion a, int prev, int c);

#endif
