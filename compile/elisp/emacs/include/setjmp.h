/* setjmp.h: jumps are throws (see wb.h). Emacs sets the ones that remain for
   a keyboard, which never reads here.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef _SETJMP_H
#define _SETJMP_H
#include <wb.h>
typedef int jmp_buf[1];
#define setjmp(j) ((void) (j), 0)
#define longjmp(j, v) wb_throw ((j)[0])
#endif
