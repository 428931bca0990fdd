/* stdio.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_STDIO_H
#define WB_STDIO_H
#include_next <stdio.h>
#include <stddef.h>
#include <sys/types.h>
void flockfile(FILE*); void funlockfile(FILE*); FILE *popen(const char*,const char*); int pclose(FILE*);
#endif
