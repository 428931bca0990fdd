/* grp.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_GRP_H
#define WB_GRP_H
#include <sys/types.h>
struct group { char *gr_name,*gr_passwd; gid_t gr_gid; char **gr_mem; };
struct group *getgrgid(gid_t); struct group *getgrnam(const char*); struct group *getgrent(void); void setgrent(void); void endgrent(void);
#endif
