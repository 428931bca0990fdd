/* config.h - what the configure scripts of programs with gnulib would find out
 * about WASI. One set of facts serves all of them; what differs (PACKAGE,
 * VERSION) comes from the command line. */
#ifndef WB_CONFIG_H
#define WB_CONFIG_H

#define STDC_HEADERS 1
#define HAVE_STDARG_H 1
#define HAVE_STDDEF_H 1
#define HAVE_ALLOCA 1
#define HAVE_ALLOCA_H 1
#define HAVE_COMPOUND_LITERALS 1
#define HAVE_INLINE 1
#define HAVE_LONG_LONG_INT 1
#define HAVE_UNSIGNED_LONG_LONG_INT 1
#define HAVE_STDBOOL_H 1
#define HAVE__BOOL 1
#define HAVE_WCHAR_T 1
#define HAVE_WINT_T 1
#define HAVE_C_VARARRAYS 1
#define HAVE_INTTYPES_H_WITH_UINTMAX 1
#define HAVE_STDINT_H_WITH_UINTMAX 1
#define HAVE_STRUCT_DIRENT_D_TYPE 1
#define HAVE_STRUCT_LCONV_DECIMAL_POINT 1
#define HAVE_STRUCT_STAT_ST_ATIM_TV_NSEC 1
#define HAVE_STRUCT_STAT_ST_BLKSIZE 1
#define HAVE_STRUCT_STAT_ST_RDEV 1
#define HAVE_STRUCT_TM_TM_ZONE 1
#define HAVE_TM_GMTOFF 1
#define HAVE_TM_ZONE 1
#define HAVE_TZSET 1
#define HAVE_STRUCT_UTMP_UT_TYPE 0
#define TYPEOF_STRUCT_STAT_ST_ATIM_IS_STRUCT_TIMESPEC 1
#define ST_MTIM_NSEC 1
#define D_INO_IN_DIRENT 1
#define FLEXIBLE_ARRAY_MEMBER
#define MALLOC_0_IS_NONNULL 1
#define HAVE_MALLOC_GNU 1
#define HAVE_MALLOC_POSIX 1
#define HAVE_REALLOC_GNU 1
#define HAVE_REALLOC_POSIX 1
#define HAVE_FREE_POSIX 1
#define HAVE_SNPRINTF_RETVAL_C99 1
#define HAVE_SNPRINTF_TRUNCATION_C99 1
#define HAVE_WORKING_UTIMES 1
#define HAVE_WORKING_O_NOFOLLOW 1
#define HAVE_WORKING_FSTATAT_ZERO_FLAG 1
#define HAVE_DUP2 1
#define HAVE_GETEUID 1
#define HAVE_GETUID 1
#define HAVE_GETGROUPS 1
#define HAVE_LANGINFO_CODESET 1
#define HAVE_LANGINFO_H 1
#define HAVE_RAISE 1
#define HAVE_SIGACTION 1
#define HAVE_SIGPROCMASK 1
#define SETLOCALE_NULL_ALL_MTSAFE 1
#define SETLOCALE_NULL_ONE_MTSAFE 1
#define NL_LANGINFO_MTSAFE 1
#define USE_ACL 0
#define HAVE_SYS_VFS_H 1
#define STAT_STATFS2_BSIZE 1
#define HAVE_LCHOWN 1
#define HAVE_FCHOWN 1
#define HAVE_CHOWN 1
#define HAVE_GETRLIMIT 1
#define GNULIB_UNISTR_U8_UCTOMB 1
#define GNULIB_UNISTR_U8_MBTOUCR 1
#define my_strftime nstrftime
#define LINK_FOLLOWS_SYMLINKS 0
#define GNULIB_CHOWNAT 1
#define GNULIB_CHMODAT 1
#define GNULIB_STATAT 1
#define GNULIB_PARSE_DATETIME2 1
#define TIME_T_IS_SIGNED 1
#define GETGROUPS_T gid_t
#define MB_CUR_MAX_IS_4 1
#define PROMOTED_MODE_T mode_t
#define ICONV_CONST
#define _REGEX_INCLUDE_LIMITS_H 1
#define _REGEX_LARGE_OFFSETS 1
#define DEFAULT_POSIX2_VERSION 200809
#define PACKAGE_STRING PACKAGE_NAME " " VERSION
#define PACKAGE_VERSION VERSION
#define PACKAGE_TARNAME PACKAGE
#define LOCALEDIR ""
#define LIBDIR ""
#define HOST_OPERATING_SYSTEM "GNU/Linux"

#define HAVE_ACCESS 1
#define HAVE_CLOCK_GETRES 1
#define HAVE_CLOCK_GETTIME 1
#define HAVE_CLOSEDIR 1
#define HAVE_DECL_FLOCKFILE 0
#define HAVE_DECL_FPURGE 1
#define HAVE_DECL_FUNLOCKFILE 0
#define HAVE_DECL_GETEUID 1
#define HAVE_DECL_GETGRGID 1
#define HAVE_DECL_GETGRNAM 1
#define HAVE_DECL_GETLOGIN 1
#define HAVE_DECL_GETPWNAM 1
#define HAVE_DECL_GETPWUID 1
#define HAVE_DECL_GETUID 1
#define HAVE_DECL_ISBLANK 1
#define HAVE_DECL_MBSWIDTH_IN_WCHAR_H 0
#define HAVE_DECL_PROGRAM_INVOCATION_NAME 1
#define HAVE_DECL_PROGRAM_INVOCATION_SHORT_NAME 1
#define HAVE_DECL_SETENV 1
#define HAVE_DECL_SETREGID 0
#define HAVE_DECL_STRERROR_R 1
#define HAVE_DECL_STRSIGNAL 1
#define HAVE_DECL_STRTOLL 1
#define HAVE_DECL_STRTOULL 1
#define HAVE_DECL_STRTOIMAX 1
#define HAVE_DECL_STRTOUMAX 1
#define HAVE_DECL_SYS_SIGLIST 0
#define HAVE_DECL_TTYNAME 1
#define HAVE_DECL_TZNAME 1
#define HAVE_DECL_UNSETENV 1
#define HAVE_DECL___FPENDING 1
#define HAVE_DECL___FSETLOCKING 1
#define HAVE_ERRNO_H 1
#define HAVE_FACCESSAT 1
#define HAVE_FCHMOD 1
#define HAVE_FCHMODAT 1
#define HAVE_FCNTL 1
#define HAVE_FCNTL_H 1
#define HAVE_FDATASYNC 1
#define HAVE_FDOPENDIR 1
#define HAVE_FEATURES_H 1
#define HAVE_FSEEKO 1
#define HAVE_FSTATAT 1
#define HAVE_FSYNC 1
#define HAVE_FTRUNCATE 1
#define HAVE_FUTIMENS 1
#define HAVE_GETCWD 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_ICONV 1
#define HAVE_ICONV_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_ISASCII 1
#define HAVE_ISBLANK 1
#define HAVE_ISWCTYPE 1
#define HAVE_LIMITS_H 1
#define HAVE_LINK 1
#define HAVE_LINKAT 1
#define HAVE_LOCALE_H 1
#define HAVE_LSTAT 1
#define HAVE_MBRTOWC 1
#define HAVE_MBSINIT 1
#define HAVE_MEMORY_H 1
#define HAVE_MEMPCPY 1
#define HAVE_NL_LANGINFO 1
#define HAVE_OPENAT 1
#define HAVE_OPENDIR 1
#define HAVE_POSIX_MEMALIGN 1
#define HAVE_PROGRAM_INVOCATION_NAME 1
#define HAVE_PROGRAM_INVOCATION_SHORT_NAME 1
#define HAVE_PTHREAD_H 1
#define HAVE_READLINK 1
#define HAVE_READLINKAT 1
#define HAVE_RENAMEAT 1
#define HAVE_SEARCH_H 1
#define HAVE_SETENV 1
#define HAVE_SETLOCALE 1
#define HAVE_SETVBUF 1
#define HAVE_SLEEP 1
#define HAVE_SNPRINTF 1
#define HAVE_STDINT_H 1
#define HAVE_STDIO_EXT_H 1
#define HAVE_STDIO_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRCASECMP 1
#define HAVE_STRERROR_R 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_STRNLEN 1
#define HAVE_STRTOLD 1
#define HAVE_SYMLINK 1
#define HAVE_SYMLINKAT 1
#define HAVE_SYS_PARAM_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_WAIT_H 1
#define HAVE_TSEARCH 1
#define HAVE_UNAME 1
#define HAVE_UNISTD_H 1
#define HAVE_UNLINKAT 1
#define HAVE_UNSETENV 1
#define HAVE_UTIMENSAT 1
#define HAVE_VPRINTF 1
#define HAVE_WCHAR_H 1
#define HAVE_WCRTOMB 1
#define HAVE_WCSLEN 1
#define HAVE_WCSNLEN 1
#define HAVE_WCTYPE_H 1
#define HAVE_WCWIDTH 1
#define HAVE___FPURGE 1
#define HAVE___FREADAHEAD 1
#define HAVE___FREADING 1
#define HAVE___FREADPTR 1
#define HAVE___FREADPTRINC 1
#define HAVE___FSETERR 1
#define HAVE___FSETLOCKING 1
#define HAVE___FWRITING 1
#define HAVE___XPG_STRERROR_R 1
#define HAVE_SYS_STATVFS_H 1
#define HAVE_SYS_IOCTL_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_RANDOM_H 1
#define HAVE_GETRANDOM 1
#define HAVE_DIRENT_H 1
#define HAVE_PWD_H 1
#define HAVE_GRP_H 1

/* Modules of gnulib that others ask for. */
#define GNULIB_CANONICALIZE_LGPL 1
#define GNULIB_CLOSE_STREAM 1
#define GNULIB_CLOSEOUT 1
#define GNULIB_DIRNAME 1
#define GNULIB_FD_SAFER_FLAG 1
#define GNULIB_OPENAT_SAFER 1
#define GNULIB_FDOPENDIR 1
#define GNULIB_OPENAT 1
#define GNULIB_MALLOC_GNU 1
#define GNULIB_REALLOC_GNU 1
#define GNULIB_XALLOC 1
#define GNULIB_XALLOC_DIE 1
#define GNULIB_FSCANF 1
#define GNULIB_SCANF 1
#define GNULIB_STRERROR_R_POSIX 1
#define GNULIB_I_RING 1
#define ARGMATCH_DIE usage (EXIT_FAILURE)
#define ARGMATCH_DIE_DECL void usage (int)

/* How gnulib spells attributes. */
#define _GL_ATTRIBUTE_ALLOC_SIZE(args) __attribute__ ((__alloc_size__ args))
#define _GL_ATTRIBUTE_ALWAYS_INLINE __attribute__ ((__always_inline__))
#define _GL_ATTRIBUTE_ARTIFICIAL
#define _GL_ATTRIBUTE_COLD __attribute__ ((__cold__))
#define _GL_ATTRIBUTE_CONST __attribute__ ((__const__))
#define _GL_ATTRIBUTE_DEALLOC(f, i)
#define _GL_ATTRIBUTE_DEALLOC_FREE
#define _GL_ATTRIBUTE_DEPRECATED
#define _GL_ATTRIBUTE_ERROR(msg)
#define _GL_ATTRIBUTE_WARNING(msg)
#define _GL_ATTRIBUTE_EXTERNALLY_VISIBLE
#define _GL_ATTRIBUTE_FALLTHROUGH __attribute__ ((__fallthrough__))
#define _GL_ATTRIBUTE_FORMAT(spec) __attribute__ ((__format__ spec))
#define _GL_ATTRIBUTE_LEAF
#define _GL_ATTRIBUTE_MALLOC __attribute__ ((__malloc__))
#define _GL_ATTRIBUTE_MAYBE_UNUSED __attribute__ ((__unused__))
#define _GL_ATTRIBUTE_MAY_ALIAS __attribute__ ((__may_alias__))
#define _GL_ATTRIBUTE_NODISCARD
#define _GL_ATTRIBUTE_NOINLINE __attribute__ ((__noinline__))
#define _GL_ATTRIBUTE_NONNULL(args)
#define _GL_ATTRIBUTE_NONSTRING
#define _GL_ATTRIBUTE_NOTHROW
#define _GL_ATTRIBUTE_PACKED __attribute__ ((__packed__))
#define _GL_ATTRIBUTE_PURE __attribute__ ((__pure__))
#define _GL_ATTRIBUTE_RETURNS_NONNULL
#define _GL_ATTRIBUTE_SENTINEL(pos)
#define _GL_ATTRIBUTE_FORMAT_PRINTF(a, b)
#define _GL_ATTRIBUTE_FORMAT_PRINTF_STANDARD(a, b)
#define _GL_ATTRIBUTE_FORMAT_PRINTF_SYSTEM(a, b)
#define _GL_ATTRIBUTE_SPEC_PRINTF_STANDARD __printf__
#define _GL_ATTRIBUTE_SPEC_PRINTF_SYSTEM __printf__
#define _GL_ARG_NONNULL(args)
#define _GL_UNUSED __attribute__ ((__unused__))
#define _GL_UNUSED_PARAMETER _GL_UNUSED
#define _GL_UNUSED_LABEL _GL_UNUSED
#define _GL_ASYNC_SAFE
#define _GL_CMP(a, b) (((a) > (b)) - ((a) < (b)))
#define _GL_GNUC_PREREQ(a, b) 1
#define _GL_HAS_ATTRIBUTE(a) __has_attribute (__##a##__)
#define _GL_BEGIN_C_LINKAGE
#define _GL_END_C_LINKAGE
#define _GL_EXTERN_C extern
#define _GL_INLINE_HEADER_BEGIN
#define _GL_INLINE_HEADER_END
#define _GL_INLINE static inline _GL_UNUSED
#define _GL_EXTERN_INLINE static inline _GL_UNUSED
#define _Noreturn __attribute__ ((__noreturn__))
#define __USE_MINGW_ANSI_STDIO 0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <alloca.h>
#include "gnulib.h"

#endif
