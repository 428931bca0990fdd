/* setjmp.h - the programs that are built jump only when a signal arrives, and
 * none does. */
#ifndef WB_SETJMP_H
#define WB_SETJMP_H
typedef int jmp_buf[1];
typedef int sigjmp_buf[1];
#define setjmp(buffer) ((void) (buffer), 0)
#define sigsetjmp(buffer, mask) ((void) (buffer), 0)
#define longjmp(buffer, value) __builtin_trap()
#define siglongjmp(buffer, value) __builtin_trap()
#endif
