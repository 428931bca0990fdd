/* random.h: random bytes come from the host, which seeds them.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_RANDOM_H
#define WB_RANDOM_H
#include <sys/types.h>
#include_next <sys/random.h>
#define GRND_RANDOM 2
#define GRND_NONBLOCK 1
ssize_t getrandom (void *, size_t, unsigned);
#endif
