/* time.h: what the C library lacks.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_TIME_H
#define WB_TIME_H
#include_next <time.h>
void tzset (void);
/* Time zones as values (gnulib's time_rz).  */
typedef struct tm_zone *timezone_t;
timezone_t tzalloc (char const *name);
void tzfree (timezone_t);
struct tm *localtime_rz (timezone_t, time_t const *restrict, struct tm *restrict);
time_t mktime_z (timezone_t, struct tm *);
#endif
