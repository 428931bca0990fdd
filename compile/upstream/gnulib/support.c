/* support.c - what gnulib has for systems with processes and signals. */
#include <config.h>

/* The sandbox tells of a stack that is used up. */
int c_stack_action(void (*action)(int)) { return 0; }

/* What argmatch calls when an argument is none of those it knows. */
__attribute__((weak)) void usage(int status) { exit(status); }

/* There are no mount points to list. */
struct mount_entry;
struct mount_entry *read_file_system_list(int types) { return 0; }
void free_mount_entry(struct mount_entry *entry) {}
