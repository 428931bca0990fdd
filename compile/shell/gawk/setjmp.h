/* setjmp.h - gawk jumps in its debugger alone, which is left out. */
#ifndef WB_SETJMP_H
#define WB_SETJMP_H
typedef int jmp_buf[1];
#define setjmp(buffer) 0
#define longjmp(buffer, value) __builtin_trap()
#endif
