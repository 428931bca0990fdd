// The runtime of C++ exceptions, built without them. What throws sets a flag and
// returns; wb's rewriting of the linked program (sandbox/fuel, Unwind) lets every
// function return while it is set, until one of the generated guards, invoke_*,
// takes it back and its caller goes to a landing pad.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cstdio>
#include <exception>
#include <new>
#include <typeinfo>
#include <unistd.h>

namespace __cxxabiv1 {
// The part of libc++abi's type information that says what a handler catches.
struct __shim_type_info : std::type_info {
  virtual ~__shim_type_info();
  virtual void noop1() const;
  virtual void noop2() const;
  virtual bool can_catch(const __shim_type_info *thrown, void *&adjusted) const = 0;
};
} // namespace __cxxabiv1

using Type = __cxxabiv1::__shim_type_info;

namespace {

// Exception is what stands before the object that is thrown. One that
// rethrow_exception throws again has a head of its own.
struct alignas(16) Exception {
  Exception *outer;         // the exception handled around this one
  Exception *primary;       // the one that has the object, null for itself
  std::type_info *type;
  void *(*destroy)(void *); // destructors return their object here
  void *adjusted;           // the object as its handler sees it
  int references;
  int handlers;             // that are active, negative when it is thrown on
  int line;                 // of the throw, 0 when it is not known

  void *object() { return (primary ? primary : this) + 1; }
};

Exception *handled; // the innermost
void *flying;       // the object that looks for its handler
int uncaught;

Exception *of(void *object) { return static_cast<Exception *>(object) - 1; }

bool is(const std::type_info &base, std::type_info *type, void *&object) {
  return static_cast<const Type &>(base).can_catch(static_cast<Type *>(type), object);
}

// Line is text that is put together without printf, which is large.
struct Line {
  char text[1024];
  size_t n = 0;
  Line &put(const char *s, size_t length) {
    for (size_t i = 0; i < length && n < sizeof text - 1; i++) text[n++] = s[i] == '\n' ? ' ' : s[i];
    return *this;
  }
  Line &put(int v) { return v < 10 ? put(&"0123456789"[v], 1) : put(v / 10).put(v % 10); }
  Line &put(const char *s) { return put(s, strlen(s)); }
};

// readable writes a type's name as people do, where it is a name, one of its
// scopes, a pointer or one of C's types; other names stay as they are.
bool readable(Line &to, const char *&s) {
  static const char *const plain[] = {"vvoid", "bbool", "cchar", "asigned char", "hunsigned char", "sshort", "tunsigned short", "iint",
      "junsigned int", "llong", "munsigned long", "xlong long", "yunsigned long long", "ffloat", "ddouble", "elong double", "wwchar_t"};
  if (*s == 'P' || *s == 'K' || *s == 'R') {
    char kind = *s++;
    return readable(to, s) && (to.put(kind == 'P' ? "*" : kind == 'R' ? "&" : " const"), true);
  }
  for (const char *p : plain)
    if (*s == *p) return s++, to.put(p + 1), true;
  static const char text[] = "NSt3__212basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE";
  if (!strncmp(s, text, sizeof text - 1)) return s += sizeof text - 1, to.put("std::string"), true;
  if (*s == 'Z') { // defined in a function: the name after it
    const char *e = strrchr(s, 'E');
    while (e > s && !(e[0] == 'E' && e[1] >= '1' && e[1] <= '9')) e--;
    return e > s && (s = e + 1, readable(to, s)) && (s += strlen(s), true);
  }
  bool nested = *s == 'N', any = false;
  if (nested) s++;
  if (s[0] == 'S' && s[1] == 't') s += 2, to.put("std"), any = true;
  while (*s >= '1' && *s <= '9') {
    size_t length = 0;
    while (*s >= '0' && *s <= '9') length = 10 * length + (*s++ - '0');
    if (strnlen(s, length) < length) return false;
    bool hidden = !strncmp(s, "_GLOBAL__N_1", length), version = length > 2 && s[0] == '_' && s[1] == '_' && s[2] <= '9';
    if (!version) to.put(any ? "::" : "").put(hidden ? "(anonymous namespace)" : s, hidden ? 21 : length), any = true;
    s += length;
    if (*s == 'I') {
      to.put("<");
      for (s++; *s != 'E'; to.put(*s != 'E' ? ", " : ""))
        if (!readable(to, s)) return false;
      s++, to.put(">");
    }
    if (!nested) return true;
  }
  return nested && any && *s++ == 'E';
}

// report says on standard error, in one line, what nobody has caught.
void report() {
  fflush(nullptr);
  Line line;
  if (!handled) {
    line.put("std::terminate was called");
  } else {
    Exception *e = handled;
    if (e->line) line.put("line ").put(e->line).put(": ");
    line.put("uncaught exception: ");
    const char *name = e->type->name(), *rest = name;
    size_t before = line.n;
    if (!readable(line, rest) || *rest) line.n = before, line.put(name);
    void *object = e->object();
    const char *what = nullptr;
    if (is(typeid(std::exception), e->type, object)) what = static_cast<std::exception *>(object)->what();
    else if (!strcmp(name, "PKc")) what = *static_cast<const char **>(object);
    if (what && *what) line.put(": ").put(what);
  }
  line.text[line.n++] = '\n';
  (void)!write(2, line.text, line.n);
}

[[noreturn]] void onTerminate() {
  report();
  __builtin_trap();
}

} // namespace

extern "C" {

std::terminate_handler __cxa_terminate_handler = onTerminate;
void (*__cxa_unexpected_handler)() = onTerminate;
std::new_handler __cxa_new_handler;

void wb_throw(void);  // sets the flag; generated
extern int wb_guards; // how many guards are active; generated
int wb_line(void);    // the line of the throw that made the last call; generated

void setTempRet0(int); // the second result of wb_match

void *__cxa_begin_catch(void *) noexcept;

void *__cxa_allocate_exception(size_t n) noexcept {
  alignas(16) static char reserve[512]; // where memory has run out, for bad_alloc
  auto e = static_cast<Exception *>(calloc(1, sizeof(Exception) + n));
  if (!e && sizeof(Exception) + n <= sizeof reserve) {
    memset(reserve, 0, sizeof reserve);
    e = reinterpret_cast<Exception *>(reserve);
    e->references = 1; // so that it is never freed
  }
  if (!e) std::terminate();
  e->line = wb_line();
  return e + 1;
}
void __cxa_free_exception(void *p) noexcept {
  if (!of(p)->references) free(of(p));
}
void __cxa_increment_exception_refcount(void *p) noexcept {
  if (p) of(p)->references++;
}
void __cxa_decrement_exception_refcount(void *p) noexcept {
  if (!p || --of(p)->references) return;
  Exception *e = of(p);
  if (e->primary) __cxa_decrement_exception_refcount(e->object());
  else if (e->destroy) e->destroy(p);
  free(e);
}
void *__cxa_init_primary_exception(void *p, std::type_info *type, void *(*destroy)(void *)) noexcept {
  of(p)->type = type;
  of(p)->destroy = destroy;
  return of(p);
}

// fly sends an exception off, or ends the program where no guard waits for it.
static void fly(void *p) {
  flying = p;
  uncaught++;
  if (!wb_guards) {
    __cxa_begin_catch(p);
    std::terminate();
  }
  wb_throw();
}
void __cxa_throw(void *p, std::type_info *type, void *(*destroy)(void *)) {
  __cxa_init_primary_exception(p, type, destroy);
  __cxa_increment_exception_refcount(p);
  fly(p);
}
void __resumeException(void *p) {
  uncaught--;
  fly(p);
}
void __cxa_rethrow() {
  if (!handled) std::terminate();
  handled->handlers = -handled->handlers;
  fly(handled + 1);
}
void __cxa_rethrow_primary_exception(void *p) {
  if (!p) return;
  auto again = static_cast<Exception *>(__cxa_allocate_exception(0)) - 1;
  again->primary = of(p);
  again->type = of(p)->type;
  again->line = of(p)->line;
  again->references++;
  __cxa_increment_exception_refcount(p);
  fly(again + 1);
}

int llvm_eh_typeid_for(void *type) { return static_cast<int>(reinterpret_cast<intptr_t>(type)); }

// wb_match is where landing pads begin: which of their types, of which null is
// every one, is the exception's?
void *wb_match(int n, void **types) {
  setTempRet0(0);
  if (!flying) return nullptr;
  Exception *e = of(flying);
  e->adjusted = e->object();
  for (int i = 0; i < n; i++) {
    void *object = e->object();
    if (types[i] && !is(*static_cast<std::type_info *>(types[i]), e->type, object)) continue;
    e->adjusted = object;
    setTempRet0(llvm_eh_typeid_for(types[i]));
    break;
  }
  return flying;
}
void *__cxa_get_exception_ptr(void *p) noexcept { return of(p)->adjusted; }
void *__cxa_begin_catch(void *p) noexcept {
  Exception *e = of(p);
  uncaught--;
  flying = nullptr;
  e->handlers = abs(e->handlers) + 1;
  if (handled != e) {
    e->outer = handled;
    handled = e;
  }
  return e->adjusted;
}
void __cxa_end_catch() {
  Exception *e = handled;
  if (!e) return;
  if (e->handlers < 0) { // thrown on: the next handler has it
    if (++e->handlers == 0) handled = e->outer;
  } else if (--e->handlers == 0) {
    handled = e->outer;
    __cxa_decrement_exception_refcount(e + 1);
  }
}

bool __cxa_uncaught_exception() noexcept { return uncaught > 0; }
unsigned __cxa_uncaught_exceptions() noexcept { return uncaught; }
std::type_info *__cxa_current_exception_type() { return handled ? handled->type : nullptr; }
void *__cxa_current_primary_exception() noexcept {
  if (!handled) return nullptr;
  __cxa_increment_exception_refcount(handled->object());
  return handled->object();
}
[[noreturn]] void __cxa_call_unexpected(void *) { std::terminate(); }
[[noreturn]] void __cxa_call_terminate(void *p) {
  if (p) __cxa_begin_catch(p);
  std::terminate();
}
}

namespace std {
terminate_handler set_terminate(terminate_handler f) noexcept {
  terminate_handler old = __cxa_terminate_handler;
  __cxa_terminate_handler = f ? f : onTerminate;
  return old;
}
new_handler set_new_handler(new_handler f) noexcept {
  new_handler old = __cxa_new_handler;
  __cxa_new_handler = f;
  return old;
}
} // namespace std
