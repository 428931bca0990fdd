/* gmp.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#include "mini-gmp.h"
