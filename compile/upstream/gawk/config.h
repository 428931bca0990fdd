/* config.h - what gawk's configure would find out about WASI. */
#ifndef WB_GAWK_CONFIG_H
#define WB_GAWK_CONFIG_H

#define PACKAGE "gawk"
#define PACKAGE_NAME "GNU Awk"
#define PACKAGE_TARNAME "gawk"
#define PACKAGE_VERSION "5.2.1"
#define PACKAGE_STRING "GNU Awk 5.2.1"
#define PACKAGE_BUGREPORT "bug-gawk@gnu.org"
#define PACKAGE_URL "https://www.gnu.org/software/gawk/"
#define VERSION "5.2.1"

#define GETPGRP_VOID 1
#define HAVE_ATEXIT 1
#define HAVE_BTOWC 1
#define HAVE_C_VARARRAYS 1
#define HAVE_FCNTL_H 1
#define HAVE_FMOD 1
#define HAVE_INTMAX_T 1
#define HAVE_INTTYPES_H 1
#define HAVE_ISASCII 1
#define HAVE_ISBLANK 1
#define HAVE_ISWCTYPE 1
#define HAVE_ISWLOWER 1
#define HAVE_ISWUPPER 1
#define HAVE_LANGINFO_CODESET 1
#define HAVE_LC_MESSAGES 1
#define HAVE_LOCALE_H 1
#define HAVE_LONG_LONG_INT 1
#define HAVE_MBRLEN 1
#define HAVE_MBRTOWC 1
#define HAVE_MEMCMP 1
#define HAVE_MEMCPY 1
#define HAVE_MEMMOVE 1
#define HAVE_MEMORY_H 1
#define HAVE_MEMSET 1
#define HAVE_MKTIME 1
#define HAVE_SETENV 1
#define HAVE_SETLOCALE 1
#define HAVE_SNPRINTF 1
#define HAVE_STDBOOL_H 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDIO_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRCASECMP 1
#define HAVE_STRCHR 1
#define HAVE_STRCOLL 1
#define HAVE_STRERROR 1
#define HAVE_STRFTIME 1
#define HAVE_STRINGIZE 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_STRNCASECMP 1
#define HAVE_STRSIGNAL 1
#define HAVE_STRTOD 1
#define HAVE_STRTOUL 1
#define HAVE_STRUCT_TM_TM_ZONE 1
#define HAVE_SYSTEM 1
#define HAVE_SYS_PARAM_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_TIMEGM 1
#define HAVE_TM_ZONE 1
#define HAVE_TOWLOWER 1
#define HAVE_TOWUPPER 1
#define HAVE_TZSET 1
#define HAVE_SYS_WAIT_H 1
#define HAVE_USLEEP 1
#define HAVE_MKSTEMP 1
#define HAVE_STRUCT_STAT_ST_BLKSIZE 1
#define HAVE_UINTMAX_T 1
#define HAVE_UNISTD_H 1
#define HAVE_UNSIGNED_LONG_LONG_INT 1
#define HAVE_WCHAR_H 1
#define HAVE_WCRTOMB 1
#define HAVE_WCSCOLL 1
#define HAVE_WCTYPE 1
#define HAVE_WCTYPE_H 1
#define HAVE_WCTYPE_T 1
#define HAVE_WINT_T 1
#define PRINTF_HAS_A_FORMAT 1
#define PRINTF_HAS_F_FORMAT 1
#define SIZEOF_UNSIGNED_INT 4
#define SIZEOF_UNSIGNED_LONG 4
#define SIZEOF_VOID_P 4
#define STDC_HEADERS 1
#define TIME_T_IN_SYS_TYPES_H 1
#define PIPES_SIMULATED 1
#define LOCALEDIR ""
#define DEFPATH ".:/usr/share/awk"
#define DEFLIBPATH ""
#define SHLIBEXT "so"
#define _GNU_SOURCE 1

#include <stdbool.h>
#include "custom.h"

#endif
