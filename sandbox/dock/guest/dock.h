/* wb.h: what a block may ask of the host. A block asks with :uses kv, and the
   person who runs it grants it with --grant kv; a program that uses what was
   not granted does not start.

     wb_reply r = wb_kv_get("count");
     if (r.status == WB_OK) puts(r.data);
     wb_free(r);

   data is followed by a NUL that length does not count. With WB_ERROR it is
   {"error":"…","code":"…"}. JSON parameters are text; NULL and "" stand for none. */
#ifndef WB_H
#define WB_H
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { WB_NONE = 0, WB_OK = 1, WB_ERROR = 2 };

typedef struct {
  int status;
  char *data;
  size_t length;
} wb_reply;

__attribute__((import_module("env"), import_name("host_reply"))) void wb_host_reply(void *to);

static inline void wb_free(wb_reply r) { if (r.data) free(r.data - 1); }
static inline wb_reply wb_no_memory(void) { wb_reply r = {WB_ERROR, NULL, 0}; return r; }
static inline size_t wb_text_length(const char *text) { return text ? strlen(text) : 0; }
static inline char *wb_frame(size_t length) { return (char *)malloc(length); }
static inline char *wb_put_count(char *at, unsigned n) {
  unsigned char b[4] = {(unsigned char)n, (unsigned char)(n >> 8), (unsigned char)(n >> 16), (unsigned char)(n >> 24)};
  memcpy(at, b, 4);
  return at + 4;
}
static inline char *wb_put(char *at, const void *data, size_t length) {
  at = wb_put_count(at, (unsigned)length);
  if (length) memcpy(at, data, length);
  return at + length;
}
static inline wb_reply wb_take(unsigned size, char *frame) {
  free(frame);
  char *reply = (char *)malloc(size + 1);
  if (!reply) return wb_no_memory();
  wb_host_reply(reply);
  reply[size] = 0;
  wb_reply r = {reply[0], reply + 1, size - 1};
  return r;
}
/* operations */

#ifdef __cplusplus
}
#endif
#endif
