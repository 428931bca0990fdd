// Calls of every shape within try: vectors, wide numbers, structs, variable arguments.
#include <cstdio>
#include <cstdarg>
#include <cstdlib>
#include <complex>
#include <stdexcept>
typedef float f4 __attribute__((vector_size(16)));
[[gnu::noinline]] f4 add(f4 a, f4 b, int fail) { if (fail) throw a[0] + b[1]; return a + b; }
[[gnu::noinline]] long double wide(long double x, long long y, float z) { if (x < 0) throw y; return x + y + z; }
struct Big { int v[10]; };
[[gnu::noinline]] Big big(Big b, short s, bool t) { if (t) throw b; b.v[0] += s; return b; }
[[gnu::noinline]] int many(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n-- > 0) s += va_arg(l, int); va_end(l); if (s > 10) throw s; return s; }
struct Watch { ~Watch() { putchar('~'); } };
static int before() { try { throw 5; } catch (int x) { return x; } }
int global = before();
int main() {
  f4 a = {1, 2, 3, 4}, b = {10, 20, 30, 40};
  try { Watch w; f4 c = add(a, b, 0); printf("%g ", c[3]); add(a, b, 1); } catch (float x) { printf("float %g\n", x); }
  try { Watch w; printf("%g ", (double)wide(1, 2, 3)); wide(-1, 7, 0); } catch (long long y) { printf("ll %lld\n", y); }
  try { Watch w; printf("%d ", big({{1, 2}}, 5, false).v[0]); big({{8, 9}}, 0, true); } catch (const Big &x) { printf("big %d\n", x.v[1]); }
  try { Watch w; printf("%d ", many(2, 3, 4)); many(3, 5, 6, 7); } catch (int s) { printf("many %d\n", s); }
  try { Watch w; std::complex<double> z(1, 2); if (z * z == z) return 1; throw z; } catch (std::complex<double> z) { printf("complex %g\n", z.imag()); }
  printf("%d\n", global);
  atexit([] { try { throw 1; } catch (...) { puts("at exit"); } });
  try { std::exit(0); } catch (...) { puts("wrong"); }
}
