/* regex.h - POSIX regular expressions over bytes, leftmost-longest.
 *
 * Basic and extended syntax with the usual GNU additions (\w \s \b \< \> \+
 * \? \| in basic syntax). Matching is linear in the text: a lazily built
 * automaton finds where a match lies, and only when groups are asked for a
 * second pass over the match itself finds those. Only patterns with back
 * references fall back to trying all ways. The text may hold NUL bytes. */
#ifndef REGEX_H
#define REGEX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Regex Regex;

typedef struct {
	ptrdiff_t start, end; /* byte offsets; -1 when the group took no part */
} Span;

enum {
	RE_EXTENDED = 1,    /* ERE instead of BRE */
	RE_ICASE = 2,       /* upper and lower case are the same */
	RE_LITERAL = 4,     /* no character is special (grep -F) */
	RE_WHOLE_LINE = 8,  /* must match the whole text (grep -x) */
	RE_WHOLE_WORD = 16, /* must not touch word characters (grep -w) */
	RE_MULTILINE = 32,  /* ^ and $ match at newlines too (sed's M) */
	RE_AWK = 64,        /* awk's escapes, also in brackets; no back references */
	RE_SED = 128,       /* \n \t \xhh … are those characters, also in brackets */
};

enum { RE_MAX_GROUPS = 10 }; /* the match and \1 … \9 */

typedef struct {
	const char *s;
	size_t len;
} Pattern;

/* regex_compile makes one expression that matches any of n patterns. On
 * failure it returns NULL and *error says why. */
Regex *regex_compile(const Pattern *patterns, size_t n, int flags, const char **error);

/* regex_search looks for the leftmost-longest match starting at or after from.
 * What stands before from still counts for ^, \b and the like. spans (may be
 * NULL) receives the match and its first groups. */
bool regex_search(Regex *re, const char *text, size_t len, size_t from, Span *spans, size_t nspans);

/* regex_groups is the number of parenthesised groups in the pattern. */
size_t regex_groups(const Regex *re);

#endif
