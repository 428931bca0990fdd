/* Lua includes this; wb.h has what it needs in its place. */
