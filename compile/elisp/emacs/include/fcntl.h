/* fcntl.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_FCNTL_H
#define WB_FCNTL_H
#include_next <fcntl.h>
#define O_BINARY 0
#define O_TEXT 0
#define O_IGNORE_CTTY 0
#ifndef O_NOCTTY
#define O_NOCTTY 0
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef F_DUPFD
#define F_DUPFD 0
#define F_DUPFD_CLOEXEC 1030
#endif
#endif
