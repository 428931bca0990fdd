// Exceptions within exceptions, kept ones, and ends.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

struct Count { static int alive; int id; Count(int i) : id(i) { alive++; } Count(const Count &o) : id(o.id) { alive++; } ~Count() { alive--; } };
int Count::alive = 0;

void print(const std::exception &e, int depth = 0) {
  printf("%*s%s\n", 2 * depth, "", e.what());
  try { std::rethrow_if_nested(e); } catch (const std::exception &inner) { print(inner, depth + 1); } catch (...) { printf("something\n"); }
}
struct Watch { ~Watch() { printf("%d in flight\n", std::uncaught_exceptions()); } };
struct Cleans { ~Cleans() { try { throw 8; } catch (int x) { printf("within %d\n", x); } } };
void classify() {
  try { throw; } catch (int x) { printf("int %d\n", x); } catch (std::exception &e) { printf("exception %s\n", e.what()); }
}

int main() {
  try { try { throw Count(1); } catch (Count &c) { c.id = 2; throw; } } catch (Count &c) { printf("rethrown %d alive %d\n", c.id, Count::alive); }
  printf("alive %d\n", Count::alive);
  try { try { throw 1; } catch (int) { throw std::runtime_error("replaced"); } } catch (std::exception &e) { puts(e.what()); }
  try { throw 1; } catch (int a) { try { throw 2; } catch (int b) { printf("%d %d ", a, b); } try { throw; } catch (int c) { printf("%d\n", c); } }
  try { try { try { throw std::runtime_error("innermost"); } catch (...) { std::throw_with_nested(std::logic_error("middle")); } }
    catch (...) { std::throw_with_nested(std::runtime_error("outer")); } } catch (std::exception &e) { print(e); }
  std::exception_ptr kept;
  try { throw Count(3); } catch (...) { kept = std::current_exception(); }
  printf("kept alive %d\n", Count::alive);
  for (int i = 0; i < 2; i++) try { std::rethrow_exception(kept); } catch (Count &c) { printf("again %d alive %d\n", c.id, Count::alive); }
  try { std::rethrow_exception(kept); } catch (...) { auto other = std::current_exception(); printf("same %d\n", other == kept); try { std::rethrow_exception(other); } catch (Count &) { puts("inside"); } }
  kept = nullptr;
  printf("alive %d\n", Count::alive);
  auto made = std::make_exception_ptr(std::out_of_range("made"));
  try { std::rethrow_exception(made); } catch (std::exception &e) { puts(e.what()); }
  printf("none %d\n", std::current_exception() == nullptr);
  { Watch w; }
  try { Watch w; throw 1; } catch (int) { Watch w; }
  try { Cleans c; throw 9; } catch (int x) { printf("outside %d\n", x); }
  try { throw 4; } catch (...) { classify(); }
  try { throw std::runtime_error("five"); } catch (...) { classify(); }
  int total = 0;
  for (int i = 0; i < 10000; i++) try { if (i % 3 == 0) throw i; total++; } catch (int x) { total += x % 2; }
  printf("total %d\n", total);
  std::function<int(int)> f = [&](int n) -> int { try { if (n == 0) throw std::string("end"); return f(n - 1); } catch (std::string &s) { s += '.'; throw; } };
  try { f(5); } catch (std::string &s) { puts(s.c_str()); }
  auto once = []() noexcept(true) { try { throw 1; } catch (int) { return 6; } return 0; };
  printf("%d\n", once());
  std::set_terminate([] {
    try { throw; } catch (std::exception &e) { printf("terminate: %s\n", e.what()); } catch (...) { puts("terminate"); }
    fflush(stdout);
    _Exit(7);
  });
  auto never = []() noexcept { throw std::runtime_error("noexcept"); };
  try { never(); } catch (...) { puts("wrong"); }
}
