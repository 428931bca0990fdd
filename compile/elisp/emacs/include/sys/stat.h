/* sys/stat.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_STAT_H
#define WB_STAT_H
#include_next <sys/stat.h>
#define S_TYPEISSEM(p) 0
#define S_TYPEISMQ(p) 0
#define S_TYPEISSHM(p) 0
#define S_TYPEISTMO(p) 0
#define S_ISCTG(mode) 0
#define S_ISDOOR(mode) 0
#define S_ISMPB(mode) 0
#define S_ISMPC(mode) 0
#define S_ISMPX(mode) 0
#define S_ISNAM(mode) 0
#define S_ISNWK(mode) 0
#define S_ISOFD(mode) 0
#define S_ISOFL(mode) 0
#define S_ISPORT(mode) 0
#define S_ISWHT(mode) 0
mode_t umask(mode_t); int chmod(const char*,mode_t); int fchmod(int,mode_t); int fchmodat(int,const char*,mode_t,int); int lchmod(const char*,mode_t);
#endif
