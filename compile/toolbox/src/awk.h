/* awk.h - the parts of awk: values and arrays (awk_value.c), the parser
 * (awk_parse.c), records, fields and files (awk_io.c), built-in functions
 * (awk_func.c) and the interpreter (awk_run.c). */
#ifndef AWK_H
#define AWK_H

#include "box.h"
#include "regex.h"

/* ---- values ----
 * Strings are shared and counted; a Value owns one count of its string. */
typedef struct {
	int refs;
	size_t len;
	char s[];
} Str;

typedef enum {
	UNSET,  /* "" and 0 at once */
	NUMBER,
	STRING,
	STRNUM, /* input that looks like a number: compares as one */
} Kind;

typedef struct {
	Kind kind;
	double n;
	Str *s;
} Value;

typedef struct Entry {
	Str *key; /* NULL: deleted */
	Value value;
	uint32_t hash;
} Entry;

/* Arrays keep the order of insertion, so `for (k in a)` is the same everywhere. */
typedef struct Array {
	Entry *entry;
	size_t n, cap, live;
	int *slot;
	size_t nslots;
} Array;

typedef struct {
	Value v;
	Array *a; /* when it is used as an array */
} Cell;

Str *str_new(const char *s, size_t n);
Str *str_take(Text *t); /* copies and empties t */
void str_drop(Str *s);
Value number(double n);
Value string(Str *s);                      /* takes the count */
Value text_value(const char *s, size_t n); /* a new string */
Value input_value(const char *s, size_t n); /* STRNUM when it looks like one */
Value keep(Value v);                       /* one more owner */
void drop(Value v);
double to_number(const Value *v);
Str *to_str(const Value *v);         /* a count of its own; uses CONVFMT */
Str *to_output(const Value *v);      /* uses OFMT */
bool to_bool(const Value *v);
int compare_values(const Value *a, const Value *b);
double str_to_number(const char *s, size_t n, bool *all);

Array *array_new(void);
Value *array_get(Array *a, Str *key, bool create); /* NULL when absent */
void array_delete(Array *a, const Str *key);
void array_clear(Array *a);

/* ---- syntax ---- */
typedef enum {
	/* expressions */
	X_NUMBER, X_STRING, X_REGEX, X_GLOBAL, X_LOCAL, X_FIELD, X_INDEX, X_ASSIGN, X_COND, X_AND, X_OR, X_NOT,
	X_NEGATE, X_PLUS, X_BINARY, X_COMPARE, X_MATCH, X_IN, X_CONCAT, X_PRE, X_POST, X_CALL, X_BUILTIN,
	X_GETLINE, X_GROUP,
	/* statements */
	S_EXPR, S_PRINT, S_PRINTF, S_IF, S_WHILE, S_DO, S_FOR, S_FORIN, S_BLOCK, S_NEXT, S_NEXTFILE, S_EXIT,
	S_RETURN, S_BREAK, S_CONTINUE, S_DELETE, S_GETLINE,
} NodeType;

typedef struct Node {
	NodeType type;
	int op;            /* operator, builtin, redirection or index of a variable */
	double n;
	Str *s;
	Regex *re;
	struct Node *a, *b, *c, *d; /* operands; list elements chain through next */
	struct Node *next;
	int line;
	struct Function *fn;
} Node;

typedef struct Function {
	char *name;
	char **params;
	bool *is_array;
	int nparams;
	Node *body;
	bool defined;
	int line;
} Function;

typedef struct Rule {
	enum { RULE_BEGIN, RULE_END, RULE_ALWAYS, RULE_PATTERN, RULE_RANGE } kind;
	Node *pattern, *until;
	Node *body; /* NULL: print $0 */
	bool in_range, has_body;
} Rule;

/* Global variables; those with a meaning to awk come first, in this order. */
enum {
	V_NF, V_NR, V_FNR, V_FS, V_OFS, V_ORS, V_RS, V_FILENAME, V_SUBSEP, V_RSTART, V_RLENGTH, V_CONVFMT, V_OFMT,
	V_ENVIRON, V_ARGC, V_ARGV, V_SPECIAL
};

typedef struct {
	char **name;
	Cell *cell;
	bool *is_array;
	size_t n, cap, cap_cell, cap_array;
	Rule *rule;
	size_t nrules, caprules;
	Function **fn;
	size_t nfns, capfns;
} Program;

extern Program program;
void awk_parse(const char *source); /* exits 2 on a syntax error */
int global_index(const char *name);

/* Builtin functions. */
typedef enum {
	B_ATAN2, B_COS, B_SIN, B_EXP, B_LOG, B_SQRT, B_INT, B_RAND, B_SRAND, B_GSUB, B_SUB, B_INDEX, B_LENGTH,
	B_MATCH, B_SPLIT, B_SPRINTF, B_SUBSTR, B_TOLOWER, B_TOUPPER, B_CLOSE, B_SYSTEM, B_FFLUSH, B_GENSUB,
	B_STRFTIME, B_SYSTIME, B_STRTONUM, B_AND, B_OR, B_XOR, B_LSHIFT, B_RSHIFT, B_COMPL, B_ASORT, B_ASORTI,
} Builtin;
Value call_builtin(Node *call);

/* Redirections of print and getline. */
enum { TO_STDOUT, TO_FILE, TO_APPEND, TO_PIPE };
enum { FROM_MAIN, FROM_FILE, FROM_PIPE };

/* ---- interpreter ---- */
Value eval(Node *x);
Str *eval_str(Node *x);
double eval_number(Node *x);
Array *eval_array(Node *x); /* a variable used as an array */
void assign(Node *target, Value v); /* takes v */
Regex *eval_regex(Node *x); /* a literal's, or that of a computed string */
void set_global(int index, Value v); /* with its side effects; takes v */
void awk_error(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
Cell *locals(void);

/* ---- records, fields, files ---- */
void io_start(int argc, char **argv); /* operands: files and var=value */
bool next_record(void);               /* sets $0 from the main input */
void next_file(void);
Value get_field(long i);
void set_field(long i, Value v);
void set_nf(long n);
long get_nf(void);
void fs_changed(void);
void rs_changed(void);
size_t split_text(const char *s, size_t n, Node *separator, void (*add)(void *to, const char *s, size_t n), void *to);
void print_to(int kind, Str *name, const char *s, size_t n);
int getline_from(int kind, Str *name, Node *target);
int close_stream(Str *name);
int flush_streams(void);
int close_all(void);
void format_text(Text *t, Str *format, Node *args);
char *process_escapes(const char *s);

#endif
