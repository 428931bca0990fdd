// What is destroyed, and when.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Trace {
  const char *name;
  explicit Trace(const char *n) : name(n) { printf("+%s ", name); }
  Trace(const Trace &o) : name(o.name) { printf("=%s ", name); }
  ~Trace() { printf("-%s ", name); }
};

struct Member {
  Trace first{"first"};
  Trace second;
  Member(bool fail) : second(fail ? throw std::runtime_error("second") : "second") {}
};
struct Body { Trace t{"member"}; Body() { throw std::logic_error("body"); } ~Body() { puts("never"); } };
struct Based : Trace { Based() : Trace("base") { throw 1; } };
struct Function {
  Trace t;
  Function() try : t("function") { throw std::runtime_error("inside"); } catch (const std::exception &e) { printf("[%s] ", e.what()); throw std::runtime_error("changed"); }
};
struct Shared { Shared(int i) { if (i == 2) throw i; printf("#%d ", i); } ~Shared() { printf("~ "); } };
struct Guarded { ~Guarded() noexcept(false) { throw 5; } };
struct Counts { static int alive; Counts() { if (alive == 3) throw alive; alive++; } ~Counts() { alive--; } };
int Counts::alive = 0;
struct Copied { Copied() {} Copied(const Copied &) { throw std::string("copy"); } };

int twice() try { throw 3; } catch (int x) { return 2 * x; }
int tried = 0;
int lazily() { static int value = tried++ == 0 ? throw 1 : 42; return value; }
__attribute__((noinline)) int deep(int n) { Trace t("t"); std::string s(n, 'x'); return n == 0 ? throw std::runtime_error("bottom") : deep(n - 1) + int(s.size()); }
__attribute__((noinline)) long far(int n) { std::string s(30, 'x'); return n == 0 ? throw n : far(n - 1) + long(s.size()); }

int main() {
  try { Trace a("a"); Trace b("b"); throw 1; } catch (int) { puts("caught"); }
  try { Member m(true); } catch (std::exception &e) { puts(e.what()); }
  try { Member m(false); printf("made "); } catch (...) { puts("wrong"); }
  puts("");
  try { Body b; } catch (std::exception &e) { puts(e.what()); }
  try { Based b; } catch (int) { puts("base gone"); }
  try { Function f; } catch (std::exception &e) { puts(e.what()); }
  try { Shared array[4] = {0, 1, 2, 3}; } catch (int i) { printf("array %d\n", i); }
  try { delete[] new Counts[8]; } catch (int i) { printf("new[] %d alive %d\n", i, Counts::alive); }
  try { auto p = std::make_unique<Trace>("unique"); auto q = std::make_shared<Trace>("shared"); throw 1; } catch (...) { puts("freed"); }
  try { std::vector<Trace> v; v.reserve(3); v.emplace_back("v0"); throw 1; } catch (...) { puts("vector"); }
  try { Guarded g; } catch (int x) { printf("destructor %d\n", x); }
  try { Copied c; std::vector<Copied> v{c}; } catch (std::string &s) { puts(s.c_str()); }
  printf("%d\n", twice());
  try { lazily(); } catch (int) { printf("again %d\n", lazily()); }
  try { deep(3); } catch (std::exception &e) { puts(e.what()); }
  try { far(4000); } catch (int) { puts("from far"); }
  for (int i = 0; i < 3; i++) { Trace t("loop"); try { if (i == 1) continue; if (i == 2) break; throw i; } catch (int) { printf("%d ", i); } }
  puts("");
  auto lambda = [t = std::make_shared<int>(1)](int x) { if (x) throw x; return *t; };
  try { printf("%d ", lambda(0)); lambda(4); } catch (int x) { printf("lambda %d\n", x); }
}
