/* grp.h - the one group. */
#ifndef WB_GRP_H
#define WB_GRP_H
#include <sys/types.h>
struct group {
	char *gr_name, *gr_passwd;
	gid_t gr_gid;
	char **gr_mem;
};
struct group *getgrgid(gid_t id);
struct group *getgrnam(const char *name);
struct group *getgrent(void);
void setgrent(void);
void endgrent(void);
#endif
