// What can be thrown, and which handler takes it.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

struct Left { long long a = 1; virtual ~Left() {} };
struct Right { int b = 2; virtual ~Right() {} virtual const char *name() const { return "Right"; } };
struct Both : Left, Right { int c = 3; const char *name() const override { return "Both"; } };
struct Root { int r = 9; };
struct A : virtual Root {};
struct B : virtual Root {};
struct Diamond : A, B {};
struct Hidden : private std::runtime_error { Hidden() : std::runtime_error("hidden") {} };
template <class T> struct Of { T value; };
enum Colour { red, green };
enum class Size : short { small = 5 };
struct alignas(16) Aligned { int x = 4; };

static Both both;

__attribute__((noinline)) void raise(int kind) {
  switch (kind) {
  case 0: throw 7;
  case 1: throw 2.5;
  case 2: throw 'c';
  case 3: throw 1LL << 40;
  case 4: throw "text";
  case 5: throw std::string("string");
  case 6: throw Both();
  case 7: throw &both;
  case 8: throw static_cast<const Both *>(&both);
  case 9: throw Diamond();
  case 10: throw Hidden();
  case 11: throw Of<int>{5};
  case 12: throw Of<std::string>{"six"};
  case 13: throw green;
  case 14: throw Size::small;
  case 15: throw nullptr;
  case 16: throw std::out_of_range("range");
  case 17: throw std::vector<int>{1, 2, 3};
  case 18: throw Aligned();
  case 19: throw &raise;
  case 20: throw 2.5f;
  case 21: throw 7u;
  case 22: throw true;
  case 23: throw &Both::c;
  }
}

int main() {
  for (int kind = 0; kind <= 24; kind++) {
    try {
      raise(kind);
      puts("nothing");
    } catch (int x) { printf("int %d\n", x);
    } catch (double x) { printf("double %g\n", x);
    } catch (char x) { printf("char %c\n", x);
    } catch (long long x) { printf("long long %lld\n", x);
    } catch (const char *x) { printf("text %s\n", x);
    } catch (const std::string &x) { printf("string %s\n", x.c_str());
    } catch (const Right &x) { printf("Right& %s %d\n", x.name(), x.b);
    } catch (Right *x) { printf("Right* %s %d\n", x->name(), x->b);
    } catch (const Right *x) { printf("const Right* %s %d\n", x->name(), x->b);
    } catch (const Root &x) { printf("Root& %d\n", x.r);
    } catch (const std::logic_error &x) { printf("logic_error %s\n", x.what());
    } catch (const std::exception &x) { printf("exception %s\n", x.what());
    } catch (const Hidden &) { printf("hidden\n");
    } catch (Of<int> x) { printf("Of<int> %d\n", x.value);
    } catch (Of<std::string> x) { printf("Of<string> %s\n", x.value.c_str());
    } catch (Colour x) { printf("colour %d\n", x);
    } catch (Size x) { printf("size %d\n", int(x));
    } catch (std::nullptr_t) { printf("nullptr\n");
    } catch (std::vector<int> x) { printf("vector %zu\n", x.size());
    } catch (Aligned &x) { printf("aligned %d %d\n", x.x, int(reinterpret_cast<size_t>(&x) % 16));
    } catch (void (*x)(int)) { printf("function %d\n", x == raise);
    } catch (float x) { printf("float %g\n", x);
    } catch (unsigned x) { printf("unsigned %u\n", x);
    } catch (int Both::*x) { printf("member %d\n", both.*x);
    } catch (...) { printf("something\n"); }
  }
  try { throw static_cast<int *>(nullptr); } catch (void *p) { printf("void* %d\n", p == nullptr); }
  try { throw nullptr; } catch (const char *p) { printf("null char* %d\n", p == nullptr); }
  try { throw 1; } catch (const int &x) { const_cast<int &>(x) = 2; printf("changed %d\n", x); }
  try { int array[3] = {1, 2, 3}; throw array; } catch (int *p) { printf("array\n"); }
  try { Right &r = both; throw r; } catch (Both &) { puts("not sliced"); } catch (Right &r) { printf("sliced %s\n", r.name()); }
}
