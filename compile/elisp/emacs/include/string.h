/* string.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_STRING_H
#define WB_STRING_H
#include_next <string.h>
char const *sigdescr_np (int);
#endif
