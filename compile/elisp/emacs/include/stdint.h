/* stdint.h: the widths of C23.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_STDINT_H
#define WB_STDINT_H
#include_next <stdint.h>
#undef SIZE_WIDTH
#undef PTRDIFF_WIDTH
#undef INTPTR_WIDTH
#undef UINTPTR_WIDTH
#undef INTMAX_WIDTH
#undef UINTMAX_WIDTH
#define SIZE_WIDTH 32
#define PTRDIFF_WIDTH 32
#define INTPTR_WIDTH 32
#define UINTPTR_WIDTH 32
#define INTMAX_WIDTH 64
#define UINTMAX_WIDTH 64
#endif
