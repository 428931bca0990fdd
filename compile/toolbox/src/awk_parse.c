/* awk_parse.c - from source text to syntax trees: see awk.h. */
#include "awk.h"

#include <ctype.h>

Program program;

typedef enum {
	T_EOF, T_NEWLINE, T_NUMBER, T_STRING, T_REGEX, T_NAME, T_CALL /* name directly before ( */, T_BUILTIN,
	T_LBRACE, T_RBRACE, T_LPAREN, T_RPAREN, T_LBRACKET, T_RBRACKET, T_SEMICOLON, T_COMMA, T_PLUS, T_MINUS, T_STAR,
	T_SLASH, T_PERCENT, T_CARET, T_NOT, T_GT, T_LT, T_PIPE, T_QUESTION, T_COLON, T_TILDE, T_NOTILDE, T_DOLLAR,
	T_ASSIGN, T_ADD_ASSIGN, T_SUB_ASSIGN, T_MUL_ASSIGN, T_DIV_ASSIGN, T_MOD_ASSIGN, T_POW_ASSIGN, T_EQ, T_LE, T_GE,
	T_NE, T_INCR, T_DECR, T_AND, T_OR, T_APPEND,
	/* keywords */
	T_BEGIN, T_END, T_FUNCTION, T_IF, T_ELSE, T_WHILE, T_FOR, T_DO, T_BREAK, T_CONTINUE, T_NEXT, T_NEXTFILE,
	T_EXIT, T_RETURN, T_DELETE, T_IN, T_GETLINE, T_PRINT, T_PRINTF,
} Token;

static const struct {
	const char *word;
	Token token;
	int builtin;
} words[] = {
	{"BEGIN", T_BEGIN, 0}, {"END", T_END, 0}, {"function", T_FUNCTION, 0}, {"func", T_FUNCTION, 0}, {"if", T_IF, 0},
	{"else", T_ELSE, 0}, {"while", T_WHILE, 0}, {"for", T_FOR, 0}, {"do", T_DO, 0}, {"break", T_BREAK, 0},
	{"continue", T_CONTINUE, 0}, {"next", T_NEXT, 0}, {"nextfile", T_NEXTFILE, 0}, {"exit", T_EXIT, 0},
	{"return", T_RETURN, 0}, {"delete", T_DELETE, 0}, {"in", T_IN, 0}, {"getline", T_GETLINE, 0},
	{"print", T_PRINT, 0}, {"printf", T_PRINTF, 0},
	{"atan2", T_BUILTIN, B_ATAN2}, {"cos", T_BUILTIN, B_COS}, {"sin", T_BUILTIN, B_SIN}, {"exp", T_BUILTIN, B_EXP},
	{"log", T_BUILTIN, B_LOG}, {"sqrt", T_BUILTIN, B_SQRT}, {"int", T_BUILTIN, B_INT}, {"rand", T_BUILTIN, B_RAND},
	{"srand", T_BUILTIN, B_SRAND}, {"gsub", T_BUILTIN, B_GSUB}, {"sub", T_BUILTIN, B_SUB},
	{"index", T_BUILTIN, B_INDEX}, {"length", T_BUILTIN, B_LENGTH}, {"match", T_BUILTIN, B_MATCH},
	{"split", T_BUILTIN, B_SPLIT}, {"sprintf", T_BUILTIN, B_SPRINTF}, {"substr", T_BUILTIN, B_SUBSTR},
	{"tolower", T_BUILTIN, B_TOLOWER}, {"toupper", T_BUILTIN, B_TOUPPER}, {"close", T_BUILTIN, B_CLOSE},
	{"system", T_BUILTIN, B_SYSTEM}, {"fflush", T_BUILTIN, B_FFLUSH}, {"gensub", T_BUILTIN, B_GENSUB},
	{"strftime", T_BUILTIN, B_STRFTIME}, {"systime", T_BUILTIN, B_SYSTIME}, {"strtonum", T_BUILTIN, B_STRTONUM},
	{"and", T_BUILTIN, B_AND}, {"or", T_BUILTIN, B_OR}, {"xor", T_BUILTIN, B_XOR}, {"lshift", T_BUILTIN, B_LSHIFT},
	{"rshift", T_BUILTIN, B_RSHIFT}, {"compl", T_BUILTIN, B_COMPL}, {"asort", T_BUILTIN, B_ASORT},
	{"asorti", T_BUILTIN, B_ASORTI},
};

static const char *src, *token_start;
static int line = 1;
static Token tok, last_tok;
static Text tok_text;
static double tok_number;
static int tok_builtin;
static Function *in_function;
static int loop_depth;
static bool no_in, no_gt; /* inside for(…;, inside print … > */

static void syntax_error(void)
{
	size_t n = tok == T_NEWLINE || tok == T_EOF ? 0 : (size_t)(src - token_start);
	if (n > 40)
		n = 40;
	if (n)
		fprintf(stderr, "awk: line %d: syntax error at or near %.*s\n", line, (int)n, token_start);
	else
		fprintf(stderr, "awk: line %d: syntax error at or near %s\n", line, tok == T_EOF ? "end of program" : "end of line");
	exit(2);
}

static void parse_error(const char *why, const char *what)
{
	fprintf(stderr, "awk: line %d: %s%s\n", line, why, what);
	exit(2);
}

/* ---- tokens ---- */

/* add_escape reads what follows a backslash in a string. */
static void add_escape(const char **p, Text *t)
{
	int c = (unsigned char)**p;
	if (c == '\n') { /* continued line */
		line++;
		(*p)++;
		return;
	}
	if (c == '/' || c == '"' || c == '\\') {
		text_char(t, c);
		(*p)++;
	} else if (c && strchr("abfnrtvx01234567", c)) {
		text_char(t, unescape_char(p));
	} else {
		text_char(t, '\\'); /* an unknown escape stays as it is */
		if (c) {
			text_char(t, c);
			(*p)++;
		}
	}
}

char *process_escapes(const char *s)
{
	Text t = {0};
	text_reserve(&t, 0);
	while (*s) {
		if (*s == '\\' && s[1]) {
			s++;
			add_escape(&s, &t);
		} else
			text_char(&t, *s++);
	}
	return t.s;
}

static Token lex_string(void)
{
	tok_text.len = 0;
	text_reserve(&tok_text, 0);
	for (src++; *src != '"';) {
		if (!*src || *src == '\n')
			parse_error("runaway string constant", "");
		if (*src == '\\' && src[1]) {
			src++;
			add_escape(&src, &tok_text);
		} else
			text_char(&tok_text, *src++);
	}
	src++;
	return T_STRING;
}

/* lex_regex is called by the parser, which alone knows that / is not a division. */
static void lex_regex(bool assign)
{
	tok_text.len = 0;
	text_reserve(&tok_text, 0);
	if (assign)
		text_char(&tok_text, '=');
	bool bracket = false;
	for (; *src != '/' || bracket; src++) {
		if (!*src || *src == '\n')
			parse_error("runaway regular expression", "");
		if (*src == '\\' && src[1] == '/') {
			text_char(&tok_text, '/');
			src++;
			continue;
		}
		if (*src == '\\' && src[1])
			text_char(&tok_text, *src++);
		else if (*src == '[' && !bracket) {
			bracket = true;
			text_char(&tok_text, *src);
			if (src[1] == '^')
				text_char(&tok_text, *++src);
			if (src[1] == ']')
				text_char(&tok_text, *++src);
			continue;
		} else if (*src == '[' && bracket && src[1] == ':') {
			const char *end = strstr(src, ":]");
			if (end) {
				text_add(&tok_text, src, (size_t)(end + 1 - src));
				src = end + 1;
			}
		} else if (*src == ']')
			bracket = false;
		text_char(&tok_text, *src);
	}
	src++;
}

static Token lex_word(void)
{
	const char *start = src;
	while (isalnum((unsigned char)*src) || *src == '_')
		src++;
	size_t n = (size_t)(src - start);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == n && !memcmp(words[i].word, start, n)) {
			tok_builtin = words[i].builtin;
			return words[i].token;
		}
	tok_text.len = 0;
	text_add(&tok_text, start, n);
	return *src == '(' ? T_CALL : T_NAME;
}

static bool follow(char c)
{
	if (*src != c)
		return false;
	src++;
	return true;
}

static Token lex(void)
{
	for (;; src++) {
		if (*src == '\\' && (src[1] == '\n' || (src[1] == '\r' && src[2] == '\n'))) {
			src += src[1] == '\r';
			src++;
			line++;
		} else if (*src == '#') {
			while (*src && *src != '\n')
				src++;
			src--;
		} else if (*src != ' ' && *src != '\t' && *src != '\r')
			break;
	}
	token_start = src;
	char c = *src;
	if (!c)
		return T_EOF;
	if (isalpha((unsigned char)c) || c == '_')
		return lex_word();
	if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)src[1]))) {
		char *end;
		if (c == '0' && (src[1] == 'x' || src[1] == 'X') && isxdigit((unsigned char)src[2]))
			tok_number = (double)strtoull(src, &end, 16);
		else
			tok_number = strtod(src, &end);
		src = end;
		return T_NUMBER;
	}
	if (c == '"')
		return lex_string();
	src++;
	switch (c) {
	case '\n': line++; return T_NEWLINE;
	case '{': return T_LBRACE;
	case '}': return T_RBRACE;
	case '(': return T_LPAREN;
	case ')': return T_RPAREN;
	case '[': return T_LBRACKET;
	case ']': return T_RBRACKET;
	case ';': return T_SEMICOLON;
	case ',': return T_COMMA;
	case '+': return follow('+') ? T_INCR : follow('=') ? T_ADD_ASSIGN : T_PLUS;
	case '-': return follow('-') ? T_DECR : follow('=') ? T_SUB_ASSIGN : T_MINUS;
	case '*':
		if (follow('*'))
			return follow('=') ? T_POW_ASSIGN : T_CARET;
		return follow('=') ? T_MUL_ASSIGN : T_STAR;
	case '/': return follow('=') ? T_DIV_ASSIGN : T_SLASH;
	case '%': return follow('=') ? T_MOD_ASSIGN : T_PERCENT;
	case '^': return follow('=') ? T_POW_ASSIGN : T_CARET;
	case '!': return follow('=') ? T_NE : follow('~') ? T_NOTILDE : T_NOT;
	case '>': return follow('=') ? T_GE : follow('>') ? T_APPEND : T_GT;
	case '<': return follow('=') ? T_LE : T_LT;
	case '|': return follow('|') ? T_OR : T_PIPE;
	case '&':
		if (follow('&'))
			return T_AND;
		break;
	case '?': return T_QUESTION;
	case ':': return T_COLON;
	case '~': return T_TILDE;
	case '$': return T_DOLLAR;
	case '=': return follow('=') ? T_EQ : T_ASSIGN;
	}
	tok = T_NAME;
	syntax_error();
	return T_EOF;
}

static void advance(void)
{
	last_tok = tok;
	tok = lex();
}

static void expect(Token t)
{
	if (tok != t)
		syntax_error();
	advance();
}

static void skip_newlines(void)
{
	while (tok == T_NEWLINE)
		advance();
}

static void skip_terminators(void)
{
	while (tok == T_NEWLINE || tok == T_SEMICOLON)
		advance();
}

/* ---- names ---- */

int global_index(const char *name)
{
	for (size_t i = 0; i < program.n; i++)
		if (!strcmp(program.name[i], name))
			return (int)i;
	GROW(program.name, program.n, program.cap);
	if (program.cap_cell != program.cap) {
		program.cell = xrealloc(program.cell, program.cap * sizeof *program.cell);
		program.is_array = xrealloc(program.is_array, program.cap * sizeof *program.is_array);
		program.cap_cell = program.cap;
	}
	program.name[program.n] = xstrdup(name);
	program.cell[program.n] = (Cell){{UNSET, 0, NULL}, NULL};
	program.is_array[program.n] = false;
	return (int)program.n++;
}

static Function *function_named(const char *name)
{
	for (size_t i = 0; i < program.nfns; i++)
		if (!strcmp(program.fn[i]->name, name))
			return program.fn[i];
	GROW(program.fn, program.nfns, program.capfns);
	Function *f = xcalloc(1, sizeof *f);
	f->name = xstrdup(name);
	f->line = line;
	return program.fn[program.nfns++] = f;
}

/* ---- expressions ---- */

static Node *node(NodeType type, Node *a, Node *b)
{
	Node *n = xcalloc(1, sizeof *n);
	n->type = type;
	n->a = a;
	n->b = b;
	n->line = line;
	return n;
}

static Node *op_node(NodeType type, int op, Node *a, Node *b)
{
	Node *n = node(type, a, b);
	n->op = op;
	return n;
}

static Node *expression(void);
static Node *unary(void);
static Node *primary(void);
static Node *concatenation(void);
static int depth;

static Node *name_node(void)
{
	for (int i = 0; in_function && i < in_function->nparams; i++)
		if (!strcmp(in_function->params[i], tok_text.s))
			return op_node(X_LOCAL, i, NULL, NULL);
	return op_node(X_GLOBAL, global_index(tok_text.s), NULL, NULL);
}

static void mark_array(Node *name)
{
	if (name->type == X_LOCAL)
		in_function->is_array[name->op] = true;
	else if (name->type == X_GLOBAL)
		program.is_array[name->op] = true;
}

/* expression_list reads a, b, c; NULL when it is empty. */
static Node *expression_list(Token end)
{
	Node *first = NULL, **tail = &first;
	if (tok == end)
		return NULL;
	for (;;) {
		skip_newlines();
		*tail = expression();
		tail = &(*tail)->next;
		skip_newlines();
		if (tok != T_COMMA)
			return first;
		advance();
	}
}

static Node *parenthesized_list(void)
{
	bool in = no_in, gt = no_gt;
	no_in = no_gt = false;
	Node *list = expression_list(T_RPAREN);
	no_in = in;
	no_gt = gt;
	expect(T_RPAREN);
	return list;
}

static Node *subscripted(Node *name)
{
	advance(); /* [ */
	bool in = no_in, gt = no_gt;
	no_in = no_gt = false;
	Node *x = node(X_INDEX, name, expression_list(T_RBRACKET));
	no_in = in;
	no_gt = gt;
	if (!x->b)
		syntax_error();
	expect(T_RBRACKET);
	mark_array(name);
	return x;
}

static Node *regex_node(void)
{
	Node *x = node(X_REGEX, NULL, NULL);
	lex_regex(tok == T_DIV_ASSIGN);
	x->s = str_new(tok_text.s, tok_text.len);
	const char *why;
	Pattern p = {tok_text.s, tok_text.len};
	x->re = regex_compile(&p, 1, RE_EXTENDED | RE_AWK, &why);
	if (!x->re)
		parse_error(why, "");
	advance();
	return x;
}

static bool is_lvalue(const Node *x)
{
	return x->type == X_GLOBAL || x->type == X_LOCAL || x->type == X_FIELD || x->type == X_INDEX;
}

static Node *builtin_call(void)
{
	Node *x = op_node(X_BUILTIN, tok_builtin, NULL, NULL);
	advance();
	if (tok == T_LPAREN) {
		advance();
		skip_newlines();
		x->a = parenthesized_list();
	} else if (x->op != B_LENGTH)
		syntax_error();
	if (x->op == B_SPLIT && x->a && x->a->next)
		mark_array(x->a->next);
	if (x->op == B_MATCH && x->a && x->a->next && x->a->next->next)
		mark_array(x->a->next->next);
	if ((x->op == B_ASORT || x->op == B_ASORTI) && x->a) {
		mark_array(x->a);
		if (x->a->next)
			mark_array(x->a->next);
	}
	static const unsigned char least[] = {
		[B_ATAN2] = 2, [B_COS] = 1, [B_SIN] = 1, [B_EXP] = 1, [B_LOG] = 1, [B_SQRT] = 1, [B_INT] = 1, [B_GSUB] = 2,
		[B_SUB] = 2, [B_INDEX] = 2, [B_MATCH] = 2, [B_SPLIT] = 2, [B_SPRINTF] = 1, [B_SUBSTR] = 2, [B_TOLOWER] = 1,
		[B_TOUPPER] = 1, [B_CLOSE] = 1, [B_SYSTEM] = 1, [B_GENSUB] = 3, [B_STRTONUM] = 1, [B_AND] = 2, [B_OR] = 2,
		[B_XOR] = 2, [B_LSHIFT] = 2, [B_RSHIFT] = 2, [B_COMPL] = 1, [B_ASORT] = 1, [B_ASORTI] = 1};
	unsigned n = 0;
	for (Node *a = x->a; a; a = a->next)
		n++;
	if (n < least[x->op])
		parse_error("too few arguments to a built-in function", "");
	return x;
}

/* simple_getline reads "getline [lvalue] [< file]" after a command or alone. */
static Node *simple_getline(Node *command)
{
	Node *x = op_node(X_GETLINE, command ? FROM_PIPE : FROM_MAIN, NULL, command);
	advance(); /* getline */
	if (tok == T_DOLLAR || tok == T_NAME)
		x->a = primary();
	if (x->a && !is_lvalue(x->a))
		syntax_error();
	if (!command && tok == T_LT) {
		advance();
		x->op = FROM_FILE;
		x->b = unary(); /* no concatenation: getline < "a" "b" is (getline < "a") "b" */
	}
	return x;
}

static Node *primary(void)
{
	Node *x;
	if (++depth > 500)
		parse_error("expression nests too deeply", "");
	switch (tok) {
	case T_NUMBER:
		x = node(X_NUMBER, NULL, NULL);
		x->n = tok_number;
		advance();
		break;
	case T_STRING:
		x = node(X_STRING, NULL, NULL);
		x->s = str_new(tok_text.s, tok_text.len);
		advance();
		break;
	case T_SLASH:
	case T_DIV_ASSIGN: x = regex_node(); break;
	case T_DOLLAR:
		advance();
		if (tok == T_INCR || tok == T_DECR) {
			int op = tok == T_INCR ? 1 : -1;
			advance();
			x = node(X_FIELD, op_node(X_PRE, op, primary(), NULL), NULL);
		} else if (tok == T_MINUS || tok == T_PLUS) {
			NodeType t = tok == T_MINUS ? X_NEGATE : X_PLUS;
			advance();
			x = node(X_FIELD, node(t, primary(), NULL), NULL);
		} else
			x = node(X_FIELD, primary(), NULL);
		break;
	case T_NAME:
		x = name_node();
		advance();
		if (tok == T_LBRACKET)
			x = subscripted(x);
		break;
	case T_CALL: {
		Function *f = function_named(tok_text.s);
		advance();
		advance(); /* ( */
		skip_newlines();
		x = node(X_CALL, parenthesized_list(), NULL);
		x->fn = f;
		break;
	}
	case T_BUILTIN: x = builtin_call(); break;
	case T_GETLINE: x = simple_getline(NULL); break;
	case T_LPAREN: {
		advance();
		skip_newlines();
		Node *list = parenthesized_list();
		if (!list)
			syntax_error();
		if (list->next) { /* (a, b) in array, or print's list */
			x = node(X_GROUP, list, NULL);
			if (tok == T_IN) {
				advance();
				if (tok != T_NAME)
					syntax_error();
				Node *name = name_node();
				mark_array(name);
				advance();
				x = node(X_IN, list, name);
			}
		} else
			x = node(X_GROUP, list, NULL);
		break;
	}
	default: syntax_error(); return NULL;
	}
	depth--;
	return x;
}

static Node *postfix(void)
{
	Node *x = primary();
	if ((tok == T_INCR || tok == T_DECR) && is_lvalue(x)) {
		x = op_node(X_POST, tok == T_INCR ? 1 : -1, x, NULL);
		advance();
	}
	return x;
}

static Node *power(void)
{
	Node *x = postfix();
	if (tok == T_CARET) {
		advance();
		Node *e;
		if (tok == T_MINUS || tok == T_PLUS || tok == T_NOT) {
			NodeType t = tok == T_MINUS ? X_NEGATE : tok == T_PLUS ? X_PLUS : X_NOT;
			advance();
			e = node(t, power(), NULL);
		} else
			e = power();
		x = op_node(X_BINARY, '^', x, e);
	}
	return x;
}

static Node *unary(void)
{
	if (tok == T_NOT || tok == T_MINUS || tok == T_PLUS) {
		NodeType t = tok == T_NOT ? X_NOT : tok == T_MINUS ? X_NEGATE : X_PLUS;
		if (++depth > 500)
			parse_error("expression nests too deeply", "");
		advance();
		Node *x = node(t, unary(), NULL);
		depth--;
		return x;
	}
	if (tok == T_INCR || tok == T_DECR) {
		int op = tok == T_INCR ? 1 : -1;
		advance();
		Node *x = unary();
		if (!is_lvalue(x))
			syntax_error();
		return op_node(X_PRE, op, x, NULL);
	}
	return power();
}

static Node *product(void)
{
	Node *x = unary();
	while (tok == T_STAR || tok == T_SLASH || tok == T_PERCENT) {
		int op = tok == T_STAR ? '*' : tok == T_SLASH ? '/' : '%';
		advance();
		x = op_node(X_BINARY, op, x, unary());
	}
	return x;
}

static Node *sum(void)
{
	Node *x = product();
	while (tok == T_PLUS || tok == T_MINUS) {
		int op = tok == T_PLUS ? '+' : '-';
		advance();
		x = op_node(X_BINARY, op, x, product());
	}
	return x;
}

static bool starts_operand(void)
{
	switch (tok) {
	case T_NUMBER: case T_STRING: case T_DOLLAR: case T_NAME: case T_CALL: case T_BUILTIN: case T_LPAREN:
	case T_INCR: case T_DECR:
		return true;
	default: return false;
	}
}

static Node *concatenation(void)
{
	Node *x = sum();
	while (starts_operand())
		x = node(X_CONCAT, x, sum());
	return x;
}

static Node *comparison(void)
{
	Node *x = concatenation();
	for (;;) {
		if (tok == T_PIPE) { /* "command" | getline */
			const char *look = src;
			while (*look == ' ' || *look == '\t')
				look++;
			if (strncmp(look, "getline", 7) || isalnum((unsigned char)look[7]) || look[7] == '_')
				return x;
			advance();
			x = simple_getline(x);
			while (starts_operand())
				x = node(X_CONCAT, x, sum());
			continue;
		}
		int op;
		switch (tok) {
		case T_LT: op = '<'; break;
		case T_LE: op = 'l'; break;
		case T_EQ: op = '='; break;
		case T_NE: op = '!'; break;
		case T_GE: op = 'g'; break;
		case T_GT:
			if (no_gt)
				return x;
			op = '>';
			break;
		default: return x;
		}
		advance();
		x = op_node(X_COMPARE, op, x, concatenation());
	}
}

static Node *matching(void)
{
	Node *x = comparison();
	while (tok == T_TILDE || tok == T_NOTILDE) {
		int negate = tok == T_NOTILDE;
		advance();
		x = op_node(X_MATCH, negate, x, comparison());
	}
	return x;
}

static Node *membership(void)
{
	Node *x = matching();
	while (tok == T_IN && !no_in) {
		advance();
		if (tok != T_NAME)
			syntax_error();
		Node *name = name_node();
		mark_array(name);
		advance();
		x = node(X_IN, x, name);
	}
	return x;
}

static Node *conjunction(void)
{
	Node *x = membership();
	while (tok == T_AND) {
		advance();
		skip_newlines();
		x = node(X_AND, x, membership());
	}
	return x;
}

static Node *disjunction(void)
{
	Node *x = conjunction();
	while (tok == T_OR) {
		advance();
		skip_newlines();
		x = node(X_OR, x, conjunction());
	}
	return x;
}

static Node *expression(void)
{
	if (++depth > 500)
		parse_error("expression nests too deeply", "");
	Node *x = disjunction();
	if (tok == T_QUESTION) {
		advance();
		skip_newlines();
		Node *yes = expression();
		skip_newlines();
		expect(T_COLON);
		skip_newlines();
		Node *cond = node(X_COND, x, yes);
		cond->c = expression();
		x = cond;
	}
	int op;
	switch (tok) {
	case T_ASSIGN: op = '='; break;
	case T_ADD_ASSIGN: op = '+'; break;
	case T_SUB_ASSIGN: op = '-'; break;
	case T_MUL_ASSIGN: op = '*'; break;
	case T_DIV_ASSIGN: op = '/'; break;
	case T_MOD_ASSIGN: op = '%'; break;
	case T_POW_ASSIGN: op = '^'; break;
	default: depth--; return x;
	}
	/* $1 = x and a = x: the target is what stands rightmost before the sign. */
	Node **target = &x;
	while (!is_lvalue(*target)) {
		switch ((*target)->type) {
		case X_NOT: case X_NEGATE: case X_PLUS: target = &(*target)->a; break;
		case X_BINARY: case X_COMPARE: case X_MATCH: case X_CONCAT: case X_AND: case X_OR: target = &(*target)->b; break;
		case X_COND: target = &(*target)->c; break;
		default: syntax_error();
		}
	}
	advance();
	skip_newlines();
	*target = op_node(X_ASSIGN, op, *target, expression());
	depth--;
	return x;
}

/* ---- statements ---- */

static Node *statement(void);

static void end_statement(void)
{
	if (tok == T_SEMICOLON || tok == T_NEWLINE) {
		advance();
		skip_terminators();
	} else if (tok != T_RBRACE && tok != T_EOF)
		syntax_error();
}

static Node *block(void)
{
	Node *first = NULL, **tail = &first;
	expect(T_LBRACE);
	skip_terminators();
	while (tok != T_RBRACE) {
		if (tok == T_EOF)
			syntax_error();
		*tail = statement();
		tail = &(*tail)->next;
		skip_terminators();
	}
	advance();
	return node(S_BLOCK, first, NULL);
}

static Node *body(void)
{
	skip_newlines();
	if (tok == T_SEMICOLON) {
		advance();
		return node(S_BLOCK, NULL, NULL);
	}
	return statement();
}

static Node *print_statement(void)
{
	Node *x = node(tok == T_PRINT ? S_PRINT : S_PRINTF, NULL, NULL);
	advance();
	no_gt = true;
	if (tok != T_SEMICOLON && tok != T_NEWLINE && tok != T_RBRACE && tok != T_GT && tok != T_APPEND && tok != T_PIPE && tok != T_EOF) {
		x->a = expression_list(T_EOF);
		/* print (a, b) > "file": the parentheses hold the whole list */
		if (x->a && !x->a->next && x->a->type == X_GROUP && x->a->a->next)
			x->a = x->a->a;
	}
	no_gt = false;
	x->op = tok == T_GT ? TO_FILE : tok == T_APPEND ? TO_APPEND : tok == T_PIPE ? TO_PIPE : TO_STDOUT;
	if (x->op != TO_STDOUT) {
		advance();
		no_gt = true;
		x->b = concatenation();
		no_gt = false;
	}
	if (x->type == S_PRINTF && !x->a)
		syntax_error();
	return x;
}

static Node *simple_statement(void)
{
	if (tok == T_PRINT || tok == T_PRINTF)
		return print_statement();
	if (tok == T_DELETE) {
		advance();
		if (tok != T_NAME)
			syntax_error();
		Node *x = node(S_DELETE, name_node(), NULL);
		mark_array(x->a);
		advance();
		if (tok == T_LBRACKET)
			x->b = subscripted(x->a)->b;
		return x;
	}
	return node(S_EXPR, expression(), NULL);
}

static Node *for_statement(void)
{
	advance();
	expect(T_LPAREN);
	skip_newlines();
	Node *init = NULL;
	if (tok != T_SEMICOLON) {
		no_in = true;
		init = simple_statement();
		no_in = false;
		if (tok == T_IN && init->type == S_EXPR && (init->a->type == X_GLOBAL || init->a->type == X_LOCAL)) {
			advance();
			if (tok != T_NAME)
				syntax_error();
			Node *x = node(S_FORIN, init->a, name_node());
			mark_array(x->b);
			advance();
			expect(T_RPAREN);
			loop_depth++;
			x->c = body();
			loop_depth--;
			return x;
		}
	}
	Node *x = node(S_FOR, init, NULL);
	expect(T_SEMICOLON);
	skip_newlines();
	if (tok != T_SEMICOLON)
		x->b = expression();
	expect(T_SEMICOLON);
	skip_newlines();
	if (tok != T_RPAREN)
		x->c = simple_statement();
	expect(T_RPAREN);
	loop_depth++;
	x->d = body();
	loop_depth--;
	return x;
}

static Node *statement(void)
{
	Node *x;
	if (++depth > 500)
		parse_error("statements nest too deeply", "");
	switch (tok) {
	case T_LBRACE: x = block(); depth--; return x;
	case T_IF:
		advance();
		expect(T_LPAREN);
		skip_newlines();
		x = node(S_IF, expression(), NULL);
		skip_newlines();
		expect(T_RPAREN);
		x->b = body();
		skip_terminators();
		if (tok == T_ELSE) {
			advance();
			x->c = body();
		}
		depth--;
		return x;
	case T_WHILE:
		advance();
		expect(T_LPAREN);
		skip_newlines();
		x = node(S_WHILE, expression(), NULL);
		expect(T_RPAREN);
		loop_depth++;
		x->b = body();
		loop_depth--;
		depth--;
		return x;
	case T_DO:
		advance();
		loop_depth++;
		x = node(S_DO, NULL, body());
		loop_depth--;
		skip_terminators();
		expect(T_WHILE);
		expect(T_LPAREN);
		x->a = expression();
		expect(T_RPAREN);
		break;
	case T_FOR: x = for_statement(); depth--; return x;
	case T_NEXT: advance(); x = node(S_NEXT, NULL, NULL); break;
	case T_NEXTFILE: advance(); x = node(S_NEXTFILE, NULL, NULL); break;
	case T_BREAK:
	case T_CONTINUE:
		x = node(tok == T_BREAK ? S_BREAK : S_CONTINUE, NULL, NULL);
		if (!loop_depth)
			parse_error(tok == T_BREAK ? "break" : "continue", " outside a loop");
		advance();
		break;
	case T_EXIT:
	case T_RETURN: {
		bool is_return = tok == T_RETURN;
		if (is_return && !in_function)
			parse_error("return outside a function", "");
		advance();
		x = node(is_return ? S_RETURN : S_EXIT, NULL, NULL);
		if (tok != T_SEMICOLON && tok != T_NEWLINE && tok != T_RBRACE && tok != T_EOF)
			x->a = expression();
		break;
	}
	default: x = simple_statement();
	}
	end_statement();
	depth--;
	return x;
}

static void function_definition(void)
{
	advance();
	if (tok != T_NAME && tok != T_CALL)
		syntax_error();
	Function *f = function_named(tok_text.s);
	if (f->defined)
		parse_error("function defined twice: ", f->name);
	f->defined = true;
	advance();
	expect(T_LPAREN);
	size_t cap = 0, n = 0;
	while (tok != T_RPAREN) {
		skip_newlines();
		if (tok != T_NAME)
			syntax_error();
		GROW(f->params, n, cap);
		f->params[n++] = xstrdup(tok_text.s);
		advance();
		skip_newlines();
		if (tok == T_COMMA)
			advance();
		else if (tok != T_RPAREN)
			syntax_error();
	}
	advance();
	f->nparams = (int)n;
	f->is_array = xcalloc(n + 1, sizeof *f->is_array);
	skip_newlines();
	in_function = f;
	int outer = loop_depth;
	loop_depth = 0;
	f->body = block();
	loop_depth = outer;
	in_function = NULL;
}

static void rule(void)
{
	GROW(program.rule, program.nrules, program.caprules);
	size_t index = program.nrules++;
	Rule r = {.kind = RULE_ALWAYS};
	if (tok == T_BEGIN || tok == T_END) {
		r.kind = tok == T_BEGIN ? RULE_BEGIN : RULE_END;
		advance();
		skip_newlines();
		if (tok != T_LBRACE)
			syntax_error();
	} else if (tok != T_LBRACE) {
		r.kind = RULE_PATTERN;
		r.pattern = expression();
		if (tok == T_COMMA) {
			advance();
			skip_newlines();
			r.kind = RULE_RANGE;
			r.until = expression();
		}
	}
	if (tok == T_LBRACE) {
		r.has_body = true;
		r.body = block();
	}
	program.rule[index] = r;
}

/* ---- which parameters are arrays ---- */

static bool changed;

/* spread_arrays notes variables that are passed where a function wants an array. */
static void spread_arrays(Node *x, Function *in)
{
	for (; x; x = x->next) {
		if (x->type == X_CALL) {
			int i = 0;
			for (Node *a = x->a; a; a = a->next, i++) {
				if (i >= x->fn->nparams)
					break;
				bool *mark = a->type == X_LOCAL ? &in->is_array[a->op] : a->type == X_GLOBAL ? &program.is_array[a->op] : NULL;
				if (mark && x->fn->is_array[i] && !*mark)
					*mark = changed = true;
				/* a global array passed on makes the parameter an array */
				if (mark && *mark && !x->fn->is_array[i])
					x->fn->is_array[i] = changed = true;
			}
		}
		spread_arrays(x->a, in);
		spread_arrays(x->b, in);
		spread_arrays(x->c, in);
		spread_arrays(x->d, in);
	}
}

void awk_parse(const char *source)
{
	static const char *special[] = {"NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "FILENAME", "SUBSEP", "RSTART",
					"RLENGTH", "CONVFMT", "OFMT", "ENVIRON", "ARGC", "ARGV"};
	for (int i = 0; i < V_SPECIAL; i++)
		global_index(special[i]);
	program.is_array[V_ENVIRON] = program.is_array[V_ARGV] = true;
	src = source;
	advance();
	skip_terminators();
	while (tok != T_EOF) {
		if (tok == T_FUNCTION)
			function_definition();
		else
			rule();
		skip_terminators();
	}
	for (size_t i = 0; i < program.nfns; i++)
		if (!program.fn[i]->defined) {
			line = program.fn[i]->line;
			parse_error("function never defined: ", program.fn[i]->name);
		}
	do {
		changed = false;
		for (size_t i = 0; i < program.nfns; i++)
			spread_arrays(program.fn[i]->body, program.fn[i]);
		for (size_t i = 0; i < program.nrules; i++) {
			spread_arrays(program.rule[i].pattern, NULL);
			spread_arrays(program.rule[i].until, NULL);
			spread_arrays(program.rule[i].body, NULL);
		}
	} while (changed);
}
