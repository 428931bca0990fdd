// setjmp and longjmp on the flag that exceptions use.
#include <stdint.h>

struct place {
  void *id; // of one call of the function that called setjmp
  uint32_t label;
};

void setThrew(int what, int value);
void wb_throw(void);
extern int wb_guards;

void __wasm_setjmp(void *env, uint32_t label, void *id) { *(struct place *)env = (struct place){id, label}; }

uint32_t __wasm_setjmp_test(void *env, void *id) {
  struct place *p = env;
  return p->id == id ? p->label : 0;
}

void emscripten_longjmp(void *env, int value) {
  if (!wb_guards) __builtin_trap(); // the function that called setjmp has returned
  setThrew((int)env, value ? value : 1);
  wb_throw();
}
