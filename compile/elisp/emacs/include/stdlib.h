/* stdlib.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_STDLIB_H
#define WB_STDLIB_H
#include_next <stdlib.h>
char *realpath(const char*,char*);
int mkstemp(char*); int mkostemp(char*,int); char *mkdtemp(char*); int system(const char*);
int getloadavg (double[], int);
int mkostemps(char*,int,int);
#endif
