/* Included before every file of Lua: what WASI lacks, in terms of the host.

   Lua's errors need setjmp and longjmp. Here the host keeps the stack: wb_try
   calls back into the program (wb_protected) and returns 1 when wb_throw has
   ended that call. */
#ifndef WB_H
#define WB_H

#define WB_IMPORT(name) __attribute__((import_module("wb"), import_name(name)))

struct lua_State;
WB_IMPORT("try") int wb_try(void (*f)(struct lua_State *, void *), struct lua_State *L, void *ud);
WB_IMPORT("throw") _Noreturn void wb_throw(void);

#define LUAI_TRY(L, c, a) \
	if (wb_try(f, L, ud) && (c)->status == 0) (c)->status = -1;
#define LUAI_THROW(L, c) wb_throw()
#define luai_jmpbuf int

/* No other programs. */
#define system wb_system

/* Names of temporary files are counted, so that runs are alike. */
#define LUA_TMPNAMBUFSIZE 32
int wb_tmpnam(char *name);
#define lua_tmpnam(b, e) { e = wb_tmpnam(b); }
#define tmpfile wb_tmpfile

#endif
