/* options.c - gnulib's getopt, whose reentrant entry argp asks for. The C
 * library has a getopt of the same names without that entry, so these have
 * others. */
#include <config.h>
#include <getopt.h>

#define optarg gl_optarg
#define opterr gl_opterr
#define optind gl_optind
#define optopt gl_optopt
#define getopt gl_getopt
#define getopt_long gl_getopt_long
#define getopt_long_only gl_getopt_long_only
#define __getopt_argv_const const
#define flockfile(file)
#define funlockfile(file)

#include "../gnu/getopt.c"
#include "../gnu/getopt1.c"
