#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "json.h"

enum { MAX_DEPTH = 150 }; /* Lua itself allows 200 C calls */

void buffer_add(struct buffer *b, const char *s, size_t n)
{
	if (b->len + n + 1 > b->cap) {
		size_t cap = (b->len + n + 1) * 2;
		char *p = realloc(b->p, cap);
		if (p == NULL) {
			free(b->p);
			b->p = NULL;
			b->len = b->cap = 0;
			return;
		}
		b->p = p;
		b->cap = cap;
	}
	memcpy(b->p + b->len, s, n);
	b->len += n;
}

/* complain raises an error without the place of a call, which is wb's own. */
static int complain(lua_State *L, const char *format, const char *detail)
{
	lua_pushfstring(L, format, detail);
	return lua_error(L);
}

static void add(struct buffer *b, const char *s) { buffer_add(b, s, strlen(s)); }

/* Decoding */

struct reader {
	lua_State *L;
	const char *p, *end;
	int depth;
};

static void blanks(struct reader *r)
{
	while (r->p < r->end && strchr(" \t\n\r", *r->p))
		r->p++;
}

static int bad(struct reader *r) { return complain(r->L, "bad JSON from the host", ""); }

static int take(struct reader *r, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
		return 0;
	r->p += n;
	return 1;
}

static unsigned hex4(struct reader *r)
{
	unsigned v = 0;
	if (r->end - r->p < 4)
		bad(r);
	for (int i = 0; i < 4; i++) {
		char c = *r->p++;
		v = v * 16 + (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
	}
	return v;
}

static void add_utf8(luaL_Buffer *b, unsigned c)
{
	if (c < 0x80) {
		luaL_addchar(b, c);
	} else if (c < 0x800) {
		luaL_addchar(b, 0xC0 | c >> 6);
		luaL_addchar(b, 0x80 | (c & 0x3F));
	} else if (c < 0x10000) {
		luaL_addchar(b, 0xE0 | c >> 12);
		luaL_addchar(b, 0x80 | (c >> 6 & 0x3F));
		luaL_addchar(b, 0x80 | (c & 0x3F));
	} else {
		luaL_addchar(b, 0xF0 | c >> 18);
		luaL_addchar(b, 0x80 | (c >> 12 & 0x3F));
		luaL_addchar(b, 0x80 | (c >> 6 & 0x3F));
		luaL_addchar(b, 0x80 | (c & 0x3F));
	}
}

static void read_string(struct reader *r)
{
	luaL_Buffer b;
	luaL_buffinit(r->L, &b);
	for (;;) {
		const char *from = r->p;
		while (r->p < r->end && *r->p != '"' && *r->p != '\\')
			r->p++;
		luaL_addlstring(&b, from, r->p - from);
		if (r->p >= r->end)
			bad(r);
		if (*r->p++ == '"')
			break;
		static const char names[] = "bfnrt", codes[] = "\b\f\n\r\t";
		char c = *r->p++;
		const char *at = strchr(names, c);
		if (c == 'u') {
			unsigned u = hex4(r);
			if (u >= 0xD800 && u < 0xDC00 && take(r, "\\u"))
				u = 0x10000 + ((u - 0xD800) << 10) + (hex4(r) - 0xDC00);
			add_utf8(&b, u);
		} else {
			luaL_addchar(&b, at ? codes[at - names] : c);
		}
	}
	luaL_pushresult(&b);
}

static void read_value(struct reader *r);

static void read_list(struct reader *r)
{
	lua_newtable(r->L);
	blanks(r);
	if (take(r, "]"))
		return;
	for (lua_Integer i = 1;; i++) {
		read_value(r);
		lua_rawseti(r->L, -2, i);
		blanks(r);
		if (take(r, "]"))
			return;
		if (!take(r, ","))
			bad(r);
	}
}

static void read_object(struct reader *r)
{
	lua_newtable(r->L);
	blanks(r);
	if (take(r, "}"))
		return;
	for (;;) {
		blanks(r);
		if (!take(r, "\""))
			bad(r);
		read_string(r);
		blanks(r);
		if (!take(r, ":"))
			bad(r);
		read_value(r);
		lua_rawset(r->L, -3);
		blanks(r);
		if (take(r, "}"))
			return;
		if (!take(r, ","))
			bad(r);
	}
}

static void read_number(struct reader *r)
{
	char text[64];
	size_t n = 0;
	while (r->p < r->end && n < sizeof text - 1 && strchr("+-.eE0123456789", *r->p))
		text[n++] = *r->p++;
	text[n] = 0;
	if (n == 0 || lua_stringtonumber(r->L, text) == 0)
		bad(r);
}

static void read_value(struct reader *r)
{
	if (++r->depth > MAX_DEPTH)
		complain(r->L, "a value is nested too deep", "");
	luaL_checkstack(r->L, 8, "too many values");
	blanks(r);
	if (take(r, "{"))
		read_object(r);
	else if (take(r, "["))
		read_list(r);
	else if (take(r, "\""))
		read_string(r);
	else if (take(r, "null"))
		lua_pushlightuserdata(r->L, NULL);
	else if (take(r, "true"))
		lua_pushboolean(r->L, 1);
	else if (take(r, "false"))
		lua_pushboolean(r->L, 0);
	else
		read_number(r);
	r->depth--;
}

void json_push(lua_State *L, const char *text, size_t n)
{
	struct reader r = {L, text, text + n, 0};
	read_value(&r);
}

/* Encoding */

static void append_string(struct buffer *b, const char *s, size_t n)
{
	add(b, "\"");
	for (size_t from = 0, i = 0;; i++) {
		unsigned char c = i < n ? s[i] : 0;
		if (i < n && c >= 0x20 && c != '"' && c != '\\')
			continue;
		buffer_add(b, s + from, i - from);
		if (i == n)
			break;
		char escape[8];
		if (c == '"' || c == '\\')
			snprintf(escape, sizeof escape, "\\%c", c);
		else
			snprintf(escape, sizeof escape, "\\u%04x", c);
		add(b, escape);
		from = i + 1;
	}
	add(b, "\"");
}

static void append_number(lua_State *L, struct buffer *b, int index)
{
	char text[40];
	if (lua_isinteger(L, index)) {
		snprintf(text, sizeof text, "%lld", (long long)lua_tointeger(L, index));
	} else {
		double d = lua_tonumber(L, index);
		if (!isfinite(d)) {
			add(b, "null");
			return;
		}
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(text, sizeof text, "%.*g", digits, d);
			if (strtod(text, NULL) == d)
				break;
		}
		if (strspn(text, "-0123456789") == strlen(text))
			strcat(text, ".0");
	}
	add(b, text);
}

/* list_length is n for a table whose keys are whole numbers from 1 to n, most
   of which are there, or -1. */
static lua_Integer list_length(lua_State *L, int index)
{
	lua_Integer count = 0, last = 0;
	lua_pushnil(L);
	while (lua_next(L, index)) {
		lua_pop(L, 1);
		lua_Integer k = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
		if (k < 1) {
			lua_pop(L, 1);
			return -1;
		}
		count++;
		if (k > last)
			last = k;
	}
	return last <= 2 * count + 8 ? last : -1;
}

static void append_list(lua_State *L, struct buffer *b, int index, lua_Integer n, int depth)
{
	add(b, "[");
	for (lua_Integer i = 1; i <= n; i++) {
		if (i > 1)
			add(b, ",");
		lua_rawgeti(L, index, i);
		json_append(L, b, lua_gettop(L), depth);
		lua_pop(L, 1);
	}
	add(b, "]");
}

struct key {
	const char *s;
	size_t n;
};

static int compare(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int c = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);
	return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* append_object writes the members sorted. The texts of the keys live in a
   table beside the original keys. */
static void append_object(lua_State *L, struct buffer *b, int index, int depth)
{
	lua_newtable(L); /* text of key to key */
	int keys = lua_gettop(L);
	size_t count = 0;
	lua_pushnil(L);
	while (lua_next(L, index)) {
		lua_pop(L, 1);
		luaL_tolstring(L, -1, NULL);
		lua_pushvalue(L, -2);
		lua_rawset(L, keys);
		count++;
	}
	struct key *sorted = lua_newuserdatauv(L, (count + 1) * sizeof *sorted, 0);
	size_t n = 0;
	lua_pushnil(L);
	while (lua_next(L, keys)) {
		lua_pop(L, 1);
		if (n < count) {
			sorted[n].s = lua_tolstring(L, -1, &sorted[n].n);
			n++;
		}
	}
	qsort(sorted, n, sizeof *sorted, compare);
	add(b, "{");
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			add(b, ",");
		append_string(b, sorted[i].s, sorted[i].n);
		add(b, ":");
		lua_pushlstring(L, sorted[i].s, sorted[i].n);
		lua_rawget(L, keys);
		lua_rawget(L, index);
		json_append(L, b, lua_gettop(L), depth);
		lua_pop(L, 1);
	}
	add(b, "}");
	lua_settop(L, keys - 1);
}

void json_append(lua_State *L, struct buffer *b, int index, int depth)
{
	if (depth > MAX_DEPTH)
		complain(L, "a table is nested too deep, or contains itself", "");
	luaL_checkstack(L, 12, "too many values");
	switch (lua_type(L, index)) {
	case LUA_TNIL:
		add(b, "null");
		return;
	case LUA_TBOOLEAN:
		add(b, lua_toboolean(L, index) ? "true" : "false");
		return;
	case LUA_TNUMBER:
		append_number(L, b, index);
		return;
	case LUA_TSTRING: {
		size_t n;
		const char *s = lua_tolstring(L, index, &n);
		append_string(b, s, n);
		return;
	}
	case LUA_TTABLE: {
		lua_Integer n = list_length(L, index);
		if (n >= 0)
			append_list(L, b, index, n, depth + 1);
		else
			append_object(L, b, index, depth + 1);
		return;
	}
	case LUA_TLIGHTUSERDATA:
		if (lua_touserdata(L, index) == NULL) {
			add(b, "null");
			return;
		}
	}
	complain(L, "a %s cannot be part of a result", luaL_typename(L, index));
}
