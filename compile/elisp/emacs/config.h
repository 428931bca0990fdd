/* config.h: what there is to find out about WASI for GNU Emacs 28, which it
   otherwise learns by running its configure script.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef EMACS_CONFIG_H
#define EMACS_CONFIG_H

#define PACKAGE_NAME "GNU Emacs"
#define PACKAGE_VERSION "28.2"
#define PACKAGE_BUGREPORT "the authors of wb"
#define PACKAGE_URL ""
#define COPYRIGHT "Copyright (C) 2022 Free Software Foundation, Inc."
#define EMACS_CONFIGURATION "wasm32-unknown-wasi"
#define EMACS_CONFIG_OPTIONS ""
#define EMACS_CONFIG_FEATURES ""
/* There is a terminal of no kind, no process and no network.  */
#define SYSTEM_TYPE "wasi"
#define TERMINFO 1
#define NATIVE_ELISP_SUFFIX ".eln"
#define USER_FULL_NAME pw->pw_gecos

/* Words of the compiler.  */
#define FLEXIBLE_ARRAY_MEMBER /**/
#define my_strftime nstrftime
#define IS_DEVICE_SEP(c) 0
#define IS_DIRECTORY_SEP(c) ((c) == DIRECTORY_SEP)
#define IS_ANY_SEP(c) IS_DIRECTORY_SEP (c)
#define DIR_TO_FD(dir) -1
#define _GNU_SOURCE 1
#define _GL_GNUC_PREREQ(major, minor) \
  ((major) < __GNUC__ + ((minor) <= __GNUC_MINOR__))
#define _GL_HAS_ATTRIBUTE(attr) __has_attribute (__##attr##__)
#define _GL_ASYNC_SAFE
#define _GL_ATTRIBUTE_ALLOC_SIZE(args) __attribute__ ((__alloc_size__ args))
#define _GL_ATTRIBUTE_ALWAYS_INLINE __attribute__ ((__always_inline__))
#define _GL_ATTRIBUTE_ARTIFICIAL
#define _GL_ATTRIBUTE_COLD __attribute__ ((__cold__))
#define _GL_ATTRIBUTE_CONST __attribute__ ((__const__))
#define _GL_ATTRIBUTE_DEALLOC(f, i)
#define _GL_ATTRIBUTE_DEALLOC_FREE
#define _GL_ATTRIBUTE_DEPRECATED __attribute__ ((__deprecated__))
#define _GL_ATTRIBUTE_ERROR(text)
#define _GL_ATTRIBUTE_WARNING(text)
#define _GL_ATTRIBUTE_EXTERNALLY_VISIBLE
#define _GL_ATTRIBUTE_FALLTHROUGH __attribute__ ((__fallthrough__))
#define _GL_ATTRIBUTE_FORMAT(spec) __attribute__ ((__format__ spec))
#define _GL_ATTRIBUTE_LEAF
#define _GL_ATTRIBUTE_MALLOC __attribute__ ((__malloc__))
#define _GL_ATTRIBUTE_MAY_ALIAS __attribute__ ((__may_alias__))
#define _GL_ATTRIBUTE_MAYBE_UNUSED __attribute__ ((__unused__))
#define _GL_ATTRIBUTE_NODISCARD __attribute__ ((__warn_unused_result__))
#define _GL_ATTRIBUTE_NOINLINE __attribute__ ((__noinline__))
#define _GL_ATTRIBUTE_NONNULL(args) __attribute__ ((__nonnull__ args))
#define _GL_ATTRIBUTE_NONSTRING
#define _GL_ATTRIBUTE_NOTHROW __attribute__ ((__nothrow__))
#define _GL_ATTRIBUTE_PACKED __attribute__ ((__packed__))
#define _GL_ATTRIBUTE_PURE __attribute__ ((__pure__))
#define _GL_ATTRIBUTE_RETURNS_NONNULL __attribute__ ((__returns_nonnull__))
#define _GL_ATTRIBUTE_SENTINEL(pos) __attribute__ ((__sentinel__ pos))
#define _GL_ATTRIBUTE_UNUSED __attribute__ ((__unused__))
#define _GL_UNUSED _GL_ATTRIBUTE_UNUSED
#define _GL_UNUSED_LABEL _GL_ATTRIBUTE_UNUSED
#define _GL_INLINE inline
#define _GL_EXTERN_INLINE extern inline
#define _GL_EXTERN_INLINE_IN_USE
#define _GL_INLINE_HEADER_BEGIN
#define _GL_INLINE_HEADER_END
#define _GL_CMP(a, b) (((a) > (b)) - ((a) < (b)))
#define _GL_ARG_NONNULL(args)
#define _GL_INLINE_HEADER_CONST_PRAGMA

/* What WASI has.  */
#define AMPERSAND_FULL_NAME 1
#define BITSIZEOF_PTRDIFF_T 32
#define BITSIZEOF_SIG_ATOMIC_T 32
#define BITSIZEOF_SIZE_T 32
#define BITSIZEOF_WCHAR_T 32
#define BITSIZEOF_WINT_T 32
#define DIRECTORY_SEP '/'
#define GC_SETJMP_WORKS 1
#define GETGROUPS_T gid_t
#define GETTIMEOFDAY_TIMEZONE void
#define HAVE_ACCESS 1
#define HAVE_ALIGNED_ALLOC 1
#define HAVE_ALLOCA 1
#define HAVE_ALLOCA_H 1
#define HAVE_BYTESWAP_H 1
#define HAVE_CFSETSPEED 1
#define HAVE_CLOCK_GETTIME 1
#define HAVE_C_VARARRAYS 1
#define HAVE_DECL_ALARM 1
#define HAVE_DECL_ALIGNED_ALLOC 1
#define HAVE_DECL_CLEARERR_UNLOCKED 1
#define HAVE_DECL_ECVT 1
#define HAVE_DECL_EXECVPE 0
#define HAVE_DECL_FCLOSEALL 0
#define HAVE_DECL_FCVT 1
#define HAVE_DECL_FDOPENDIR 1
#define HAVE_DECL_FEOF_UNLOCKED 1
#define HAVE_DECL_FERROR_UNLOCKED 1
#define HAVE_DECL_FFLUSH_UNLOCKED 1
#define HAVE_DECL_FGETS_UNLOCKED 1
#define HAVE_DECL_FPUTC_UNLOCKED 1
#define HAVE_DECL_FPUTS_UNLOCKED 1
#define HAVE_DECL_FREAD_UNLOCKED 1
#define HAVE_DECL_FWRITE_UNLOCKED 1
#define HAVE_DECL_GCVT 1
#define HAVE_DECL_GETCHAR_UNLOCKED 1
#define HAVE_DECL_GETC_UNLOCKED 1
#define HAVE_DECL_GETDTABLESIZE 0
#define HAVE_DECL_ISBLANK 1
#define HAVE_DECL_LOCALTIME_R 1
#define HAVE_DECL_MEMMEM 1
#define HAVE_DECL_MEMRCHR 1
#define HAVE_DECL_PUTCHAR_UNLOCKED 1
#define HAVE_DECL_PUTC_UNLOCKED 1
#define HAVE_DECL_STRMODE 0
#define HAVE_DECL_STRNLEN 1
#define HAVE_DECL_STRTOIMAX 1
#define HAVE_DECL___FPENDING 1
#define HAVE_DIRENT_H 1
#define HAVE_ENDGRENT 1
#define HAVE_ENDPWENT 1
#define HAVE_ENVIRON_DECL 1
#define HAVE_EUIDACCESS 1
#define HAVE_EXPLICIT_BZERO 1
#define HAVE_FACCESSAT 1
#define HAVE_FCHDIR 1
#define HAVE_FCHMOD 1
#define HAVE_FCHMODAT 1
#define HAVE_FCNTL 1
#define HAVE_FDOPENDIR 1
#define HAVE_FSEEKO 1
#define HAVE_FSTATAT 1
#define HAVE_FSYNC 1
#define HAVE_FUTIMENS 1
#define HAVE_FUTIMESAT 1
#define HAVE_GETCWD 1
#define HAVE_GETGRENT 1
#define HAVE_GETHOSTNAME 1
#define HAVE_GETOPT_H 1
#define HAVE_GETOPT_LONG_ONLY 1
#define HAVE_GETPAGESIZE 1
#define HAVE_GETPWENT 1
#define HAVE_GETRLIMIT 1
#define HAVE_GETRUSAGE 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_INTTYPES_H 1
#define HAVE_ISBLANK 1
#define HAVE_ISWCTYPE 1
#define HAVE_LANGINFO_CODESET 1
#define HAVE_LCHMOD 1
#define HAVE_LIMITS_H 1
#define HAVE_LOCALTIME_R 1
#define HAVE_LOG2 1
#define HAVE_LONG_LONG_INT 1
#define HAVE_LRAND48 1
#define HAVE_LSTAT 1
#define HAVE_MALLOC_H 1
#define HAVE_MALLOC_POSIX 1
#define HAVE_MBSTATE_T 1
#define HAVE_MEMMEM 1
#define HAVE_MEMPCPY 1
#define HAVE_MEMRCHR 1
#define HAVE_MINMAX_IN_SYS_PARAM_H 1
#define HAVE_MKOSTEMP 1
#define HAVE_NEWLOCALE 1
#define HAVE_PIPE2 1
#define HAVE_PSELECT 1
#define HAVE_PTHREAD_SIGMASK 1
#define HAVE_PWD_H 1
#define HAVE_RANDOM 1
#define HAVE_READLINK 1
#define HAVE_READLINKAT 1
#define HAVE_REALPATH 1
#define HAVE_RINT 1
#define HAVE_SELECT 1
#define HAVE_SETLOCALE 1
#define HAVE_SETRLIMIT 1
#define HAVE_SIGNED_SIG_ATOMIC_T 1
#define HAVE_SIGNED_WCHAR_T 1
#define HAVE_SIGNED_WINT_T 1
#define HAVE_SIGSET_T 1
#define HAVE_SNPRINTF 1
#define HAVE_STATEMENT_EXPRESSIONS 1
#define HAVE_STDINT_H 1
#define HAVE_STDIO_EXT_H 1
#define HAVE_STDIO_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STPCPY 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_STRSIGNAL 1
#define HAVE_STRTOIMAX 1
#define HAVE_STRUCT_ATTRIBUTE_ALIGNED 1
#define HAVE_STRUCT_DIRENT_D_TYPE 1
#define HAVE_STRUCT_STAT_ST_ATIM_TV_NSEC 1
#define HAVE_STRUCT_TM_TM_ZONE 1
#define HAVE_SYMLINK 1
#define HAVE_SYNC 1
#define HAVE_SYS_PARAM_H 1
#define HAVE_SYS_RANDOM_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_SELECT_H 1
#define HAVE_SYS_SOCKET_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_UTSNAME_H 1
#define HAVE_SYS_WAIT_H 1
#define HAVE_TIMEGM 1
#define HAVE_TM_GMTOFF 1
#define HAVE_TM_ZONE 1
#define HAVE_TRUNC 1
#define HAVE_UNISTD_H 1
#define HAVE_UNSIGNED_LONG_LONG_INT 1
#define HAVE_UTIMENSAT 1
#define HAVE_WCHAR_H 1
#define HAVE_WCHAR_T 1
#define HAVE_WORKING_FSTATAT_ZERO_FLAG 1
#define HAVE___BUILTIN_EXPECT 1
#define HAVE___BUILTIN_FRAME_ADDRESS 1
#define HAVE___BUILTIN_UNWIND_INIT 1
#define HAVE___INLINE 1
#define MALLOC_0_IS_NONNULL 0
#define NULL_DEVICE "/dev/null"
#define PROMOTED_MODE_T mode_t
#define PTRDIFF_T_SUFFIX l
#define SEPCHAR ':'
#define SIG_ATOMIC_T_SUFFIX l
#define SIZEOF_LONG 4
#define SIZE_T_SUFFIX ul
#define STAT_STATVFS 1
#define STDC_HEADERS 1
#define SYSTEM_MALLOC 1
#define TIME_T_IS_SIGNED 1
#define TYPEOF_STRUCT_STAT_ST_ATIM_IS_STRUCT_TIMESPEC 1
#define USE_ACL 0
#define USE_UNLOCKED_IO GNULIB_STDIO_SINGLE_THREAD
#define WCHAR_T_SUFFIX
#define WIDE_EMACS_INT 1
#define WINT_T_SUFFIX
#define _REGEX_INCLUDE_LIMITS_H 1
#define _REGEX_LARGE_OFFSETS 1
#include <sys/types.h>
#include <conf_post.h>
#endif
