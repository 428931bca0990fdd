/* sys/resource.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_RESOURCE_H
#define WB_RESOURCE_H
#include_next <sys/resource.h>
#define PRIO_PROCESS 0
int getpriority(int,int); int setpriority(int,int,int);
typedef unsigned long long rlim_t; struct rlimit { rlim_t rlim_cur, rlim_max; };
#define RLIM_INFINITY (~0ULL)
#define RLIM_SAVED_CUR RLIM_INFINITY
#define RLIM_SAVED_MAX RLIM_INFINITY
#define RLIMIT_NOFILE 7
#define RLIMIT_STACK 3
int getrlimit(int,struct rlimit*); int setrlimit(int,const struct rlimit*);
#endif
