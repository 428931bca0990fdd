/* awk_value.c - strings, numbers and arrays of awk: see awk.h. */
#include "awk.h"

#include <ctype.h>
#include <math.h>

Str *str_new(const char *s, size_t n)
{
	Str *t = xmalloc(sizeof *t + n + 1);
	t->refs = 1;
	t->len = n;
	memcpy(t->s, s, n);
	t->s[n] = 0;
	return t;
}

Str *str_take(Text *t)
{
	Str *s = str_new(t->s ? t->s : "", t->len);
	free(t->s);
	*t = (Text){0};
	return s;
}

void str_drop(Str *s)
{
	if (s && --s->refs == 0)
		free(s);
}

Value number(double n) { return (Value){NUMBER, n, NULL}; }
Value string(Str *s) { return (Value){STRING, 0, s}; }
Value text_value(const char *s, size_t n) { return string(str_new(s, n)); }

/* str_to_number reads a decimal number at the start; *all tells whether
 * nothing but blanks is around it. */
double str_to_number(const char *s, size_t n, bool *all)
{
	const char *end = s + n, *p = s;
	while (p < end && isspace((unsigned char)*p))
		p++;
	const char *q = p;
	if (q < end && (*q == '+' || *q == '-'))
		q++;
	bool digits = q < end && (isdigit((unsigned char)*q) || (*q == '.' && q + 1 < end && isdigit((unsigned char)q[1])));
	double v = 0;
	if (digits) {
		if (*q == '0' && q + 1 < end && (q[1] == 'x' || q[1] == 'X'))
			q++; /* no hexadecimal: this is 0 followed by x */
		else {
			char *stop;
			v = strtod(p, &stop);
			q = stop;
		}
	}
	if (all) {
		while (q < end && isspace((unsigned char)*q))
			q++;
		*all = digits && q == end;
	}
	return v;
}

Value input_value(const char *s, size_t n)
{
	Value v = text_value(s, n);
	bool all;
	/* Most fields are words: look before parsing. */
	if (n == 0 || !(isspace((unsigned char)*s) || isdigit((unsigned char)*s) || *s == '+' || *s == '-' || *s == '.'))
		return v;
	double d = str_to_number(v.s->s, n, &all);
	if (all) {
		v.kind = STRNUM;
		v.n = d;
	}
	return v;
}

Value keep(Value v)
{
	if (v.s)
		v.s->refs++;
	return v;
}

void drop(Value v) { str_drop(v.s); }

double to_number(const Value *v)
{
	switch (v->kind) {
	case STRING: return str_to_number(v->s->s, v->s->len, NULL);
	case UNSET: return 0;
	default: return v->n;
	}
}

static Str *number_text(double n, int format_var)
{
	char buf[400];
	int k;
	if (isnan(n))
		k = snprintf(buf, sizeof buf, signbit(n) ? "-nan" : "nan");
	else if (isinf(n))
		k = snprintf(buf, sizeof buf, n < 0 ? "-inf" : "inf");
	else if (n == floor(n) && fabs(n) < 1e18)
		k = snprintf(buf, sizeof buf, "%lld", (long long)n);
	else if (n == floor(n))
		k = snprintf(buf, sizeof buf, "%.0f", n);
	else {
		Str *f = to_str(&program.cell[format_var].v);
		/* The format is the program's own: only number conversions are safe. */
		const char *p = strchr(f->s, '%');
		const char *c = p ? p + 1 + strspn(p + 1, "-+ #0123456789.") : NULL;
		if (c && *c && strchr("eEfFgGaA", *c) && !strchr(c, '%'))
			k = snprintf(buf, sizeof buf, f->s, n);
		else if (c && (*c == 'd' || *c == 'i') && !strchr(c, '%'))
			k = snprintf(buf, sizeof buf, "%lld", (long long)n);
		else
			k = snprintf(buf, sizeof buf, "%.6g", n);
		str_drop(f);
	}
	return str_new(buf, (size_t)k < sizeof buf ? (size_t)k : sizeof buf - 1);
}

static Str *value_text(const Value *v, int format_var)
{
	switch (v->kind) {
	case UNSET: return str_new("", 0);
	case NUMBER: return number_text(v->n, format_var);
	default: v->s->refs++; return v->s;
	}
}

Str *to_str(const Value *v) { return value_text(v, V_CONVFMT); }
Str *to_output(const Value *v) { return value_text(v, V_OFMT); }

bool to_bool(const Value *v)
{
	switch (v->kind) {
	case UNSET: return false;
	case STRING: return v->s->len > 0;
	default: return v->n != 0;
	}
}

int compare_values(const Value *a, const Value *b)
{
	if (a->kind != STRING && b->kind != STRING) {
		double x = to_number(a), y = to_number(b);
		return (x > y) - (x < y);
	}
	Str *s = to_str(a), *t = to_str(b);
	size_t n = s->len < t->len ? s->len : t->len;
	int c = memcmp(s->s, t->s, n);
	if (c == 0)
		c = (s->len > t->len) - (s->len < t->len);
	str_drop(s);
	str_drop(t);
	return c;
}

/* ---- arrays ---- */

static uint32_t hash_of(const Str *s)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < s->len; i++)
		h = (h ^ (unsigned char)s->s[i]) * 16777619u;
	return h;
}

Array *array_new(void) { return xcalloc(1, sizeof(Array)); }

static void rehash(Array *a)
{
	/* Close the gaps that deletions left, then index what is there. */
	size_t k = 0;
	for (size_t i = 0; i < a->n; i++)
		if (a->entry[i].key)
			a->entry[k++] = a->entry[i];
	a->n = k;
	size_t size = 16;
	while (size < 2 * (a->n + 1))
		size *= 2;
	if (size != a->nslots) {
		a->slot = xrealloc(a->slot, size * sizeof *a->slot);
		a->nslots = size;
	}
	for (size_t i = 0; i < size; i++)
		a->slot[i] = -1;
	for (size_t i = 0; i < a->n; i++) {
		size_t at = a->entry[i].hash & (size - 1);
		while (a->slot[at] >= 0)
			at = (at + 1) & (size - 1);
		a->slot[at] = (int)i;
	}
}

static Entry *find(Array *a, const Str *key, uint32_t h)
{
	if (!a->nslots)
		return NULL;
	for (size_t at = h & (a->nslots - 1); a->slot[at] >= 0; at = (at + 1) & (a->nslots - 1)) {
		Entry *e = &a->entry[a->slot[at]];
		if (e->key && e->hash == h && e->key->len == key->len && !memcmp(e->key->s, key->s, key->len))
			return e;
	}
	return NULL;
}

Value *array_get(Array *a, Str *key, bool create)
{
	uint32_t h = hash_of(key);
	Entry *e = find(a, key, h);
	if (e)
		return &e->value;
	if (!create)
		return NULL;
	if (2 * (a->n + 1) > a->nslots)
		rehash(a);
	GROW(a->entry, a->n, a->cap);
	key->refs++;
	a->entry[a->n] = (Entry){key, {UNSET, 0, NULL}, h};
	size_t at = h & (a->nslots - 1);
	while (a->slot[at] >= 0)
		at = (at + 1) & (a->nslots - 1);
	a->slot[at] = (int)a->n;
	a->live++;
	return &a->entry[a->n++].value;
}

void array_delete(Array *a, const Str *key)
{
	Entry *e = find(a, key, hash_of(key));
	if (!e)
		return;
	str_drop(e->key);
	drop(e->value);
	e->key = NULL; /* its slot stays until the next rehash */
	e->value = (Value){UNSET, 0, NULL};
	a->live--;
}

void array_clear(Array *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->entry[i].key) {
			str_drop(a->entry[i].key);
			drop(a->entry[i].value);
		}
	a->n = a->live = 0;
	for (size_t i = 0; i < a->nslots; i++)
		a->slot[i] = -1;
}
