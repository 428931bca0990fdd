/* wb.h: non-local exits and memory, as wb's edits of Emacs use them.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_H
#define WB_H
#include <stdbool.h>

/* How many tries are under way.  A handler's jmp is the number of its try.  */
extern int wb_depth;

/* Run body.  Returns true when a throw to this try has ended it.  */
bool wb_try_block (void (^body) (void));

/* End the calls down to the try of that number, which returns true.  */
_Noreturn void wb_throw (int number);

/* The same for a handler of Emacs's.  */
#define wb_expect(handler) ((handler)->jmp[0] = wb_depth + 1)
#define wb_try(handler, ...) (wb_expect (handler), wb_try_block (__VA_ARGS__))

/* Whether the garbage collector may work.  */
extern bool wb_may_collect;
#endif
