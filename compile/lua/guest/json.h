/* JSON to Lua values and back. null is a light userdata of address 0; whole
   numbers are integers, 2.0 is a float. */
#ifndef JSON_H
#define JSON_H
#include <stddef.h>
#include "lua.h"

struct buffer {
	char *p; /* NULL after memory ran out */
	size_t len, cap;
};

void buffer_add(struct buffer *b, const char *s, size_t n);

/* push decodes text onto the stack, or raises an error. */
void json_push(lua_State *L, const char *text, size_t n);

/* append encodes the value at an index. Lists are tables with the keys 1 to n;
   objects have their keys sorted. What JSON cannot say raises an error. */
void json_append(lua_State *L, struct buffer *b, int index, int depth);
#endif
