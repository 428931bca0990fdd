/* The Lua interpreter as a reactor: the host asks with a JSON object, which the
   function serve of boot.lua answers with another. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"
#include "json.h"

#define EXPORT(name) __attribute__((export_name(name)))

static lua_State *L;
static char *room;
static struct buffer answer;

FILE *wb_tmpfile(void);
int wb_tmpnam(char *name);

/* wb_protected runs what wb_try was asked to. */
EXPORT("wb_protected") void wb_protected(void (*f)(lua_State *, void *), lua_State *state, void *ud)
{
	f(state, ud);
}

/* room(n) is where the host writes a request. */
EXPORT("wb_room") char *wb_room(size_t n)
{
	free(room);
	return room = malloc(n + 1);
}

EXPORT("wb_answer") char *wb_answer(void) { return answer.p; }
EXPORT("wb_answer_len") size_t wb_answer_len(void) { return answer.len; }

static int decode(lua_State *state)
{
	size_t n;
	const char *s = luaL_checklstring(state, 1, &n);
	json_push(state, s, n);
	return 1;
}

static int encode(lua_State *state)
{
	struct buffer b = {0};
	json_append(state, &b, 1, 0);
	if (b.p == NULL)
		return luaL_error(state, "not enough memory");
	lua_pushlstring(state, b.p, b.len);
	free(b.p);
	return 1;
}

static int change_dir(lua_State *state)
{
	lua_pushboolean(state, chdir(luaL_checkstring(state, 1)) == 0);
	return 1;
}

static int panic(lua_State *state)
{
	const char *message = lua_tostring(state, -1);
	fprintf(stderr, "lua: %s\n", message ? message : "error");
	exit(70);
}

static int null_text(lua_State *state)
{
	lua_pushliteral(state, "null");
	return 1;
}

/* boot makes the state all runs start from; boot.lua is in room. */
EXPORT("wb_boot") int wb_boot(size_t n)
{
	L = luaL_newstate();
	if (L == NULL)
		return 1;
	lua_atpanic(L, panic);
	luaL_openlibs(L);

	lua_pushlightuserdata(L, NULL); /* null: JSON's, since nil cannot be in tables */
	lua_createtable(L, 0, 2);
	lua_pushcfunction(L, null_text);
	lua_setfield(L, -2, "__tostring");
	lua_pushliteral(L, "null");
	lua_setfield(L, -2, "__name");
	lua_setmetatable(L, -2);
	lua_setglobal(L, "null");

	lua_createtable(L, 0, 3);
	lua_pushcfunction(L, decode);
	lua_setfield(L, -2, "decode");
	lua_pushcfunction(L, encode);
	lua_setfield(L, -2, "encode");
	lua_pushcfunction(L, change_dir);
	lua_setfield(L, -2, "chdir");

	if (luaL_loadbufferx(L, room, n, "=boot.lua", "t") != LUA_OK)
		return 2;
	lua_insert(L, -2);
	if (lua_pcall(L, 1, 1, 0) != LUA_OK) { /* the table above in, serve out */
		fprintf(stderr, "lua: %s\n", lua_tostring(L, -1));
		fflush(stderr);
		return 3;
	}
	lua_setfield(L, LUA_REGISTRYINDEX, "wb.serve");
	lua_gc(L, LUA_GCCOLLECT);
	return 0;
}

static int serve(lua_State *state)
{
	const char *request = lua_touserdata(state, 1);
	size_t n = (size_t)lua_tointeger(state, 2);
	lua_getfield(state, LUA_REGISTRYINDEX, "wb.serve");
	json_push(state, request, n);
	lua_call(state, 1, 1);
	answer.len = 0;
	json_append(state, &answer, lua_gettop(state), 0);
	return 0;
}

/* run answers the request of n bytes in room: 0, or 1 when the answer is a
   plain message. */
EXPORT("wb_run") int wb_run(size_t n)
{
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	lua_settop(L, 0);
	lua_pushcfunction(L, serve);
	lua_pushlightuserdata(L, room);
	lua_pushinteger(L, (lua_Integer)n);
	int status = lua_pcall(L, 2, 0, 0);
	fflush(NULL);
	if (status == LUA_OK && answer.p != NULL)
		return 0;
	const char *message = status == LUA_OK ? "not enough memory" : lua_tostring(L, -1);
	answer.len = 0;
	buffer_add(&answer, message ? message : "error", strlen(message ? message : "error"));
	return 1;
}

/* os.execute finds no shell. */
int wb_system(const char *command) { return command ? -1 : 0; }

/* The temporary files of Lua. */
static unsigned temporary;

int wb_tmpnam(char *name)
{
	snprintf(name, 32, "/tmp/lua_%06u", ++temporary);
	return 0;
}

FILE *wb_tmpfile(void)
{
	char name[32];
	wb_tmpnam(name);
	FILE *f = fopen(name, "w+b");
	if (f != NULL)
		remove(name);
	return f;
}
