// The part of throwers.cpp that needs streams and system errors.
#include <cstring>
#include <ios>
#include <system_error>

extern "C" void wb_throw_system(const char *kind, int code, const char *what) {
  if (!strncmp(kind, "ios_base::failure", 17)) throw std::ios_base::failure(what);
  if (!strncmp(kind, "system_error", 12)) throw std::system_error(std::error_code(code, std::system_category()), what);
}
