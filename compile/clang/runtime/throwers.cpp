// What the compiled parts of libc++, built without exceptions, call where they
// would throw: it throws what the text names.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <typeinfo>

// The standard streams and system errors are large; programs that name them have
// throwios.cpp as well.
extern "C" __attribute__((weak)) void wb_throw_system(const char *kind, int code, const char *what);

extern "C" {
// wb_libcpp_abort has this name because its header says that it does not throw.
void wb_libcpp_abort(const char *, ...) __asm__("_ZNSt3__222__libcpp_verbose_abortEPKcz");
void wb_libcpp_abort(const char *format, ...) {
  static const char mark[] = " was thrown in -fno-exceptions mode";
  const char *end = strstr(format, mark);
  va_list rest;
  va_start(rest, format);
  if (!end) {
    vfprintf(stderr, format, rest);
    fputc('\n', stderr);
    abort();
  }
  int code = strstr(end, "%i") ? va_arg(rest, int) : 0;
  const char *what = strstr(end, "%s") ? va_arg(rest, const char *) : "";
  va_end(rest);
  auto is = [&](const char *name) { return strlen(name) == size_t(end - format) && !memcmp(name, format, end - format); };
  if (is("out_of_range")) throw std::out_of_range(what);
  if (is("length_error")) throw std::length_error(what);
  if (is("invalid_argument")) throw std::invalid_argument(what);
  if (is("overflow_error")) throw std::overflow_error(what);
  if (is("bad_alloc")) throw std::bad_alloc();
  if (is("bad_array_new_length")) throw std::bad_array_new_length();
  if (is("bad_cast")) throw std::bad_cast();
  if (wb_throw_system) wb_throw_system(format, code, what);
  throw std::runtime_error(*what ? what : format);
}

void __cxa_bad_cast() { throw std::bad_cast(); }
void __cxa_bad_typeid() { throw std::bad_typeid(); }
void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }
}

__attribute__((weak)) void *operator new(size_t n) {
  for (;;) {
    if (void *p = malloc(n ? n : 1)) return p;
    std::new_handler more = std::get_new_handler();
    if (!more) throw std::bad_alloc();
    more();
  }
}
__attribute__((weak)) void *operator new[](size_t n) { return operator new(n); }
