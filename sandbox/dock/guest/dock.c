/* What compiled languages call to reach the host: a function for each
   capability, which takes a frame and answers with the reply's length. Those
   that a program does not use are not linked, so that it imports what it needs
   and nothing else. */
#include <stddef.h>
__attribute__((import_module("env"), import_name("host_reply"))) void wb_host_reply(void *to);
void wb_dock_reply(void *to) { wb_host_reply(to); }
