// What guards and the code after them tell each other, by the names the compiler
// has for it.
int __THREW__; // 0, 1 for an exception, or the jmp_buf of a longjmp
int __threwValue;
static int second;

void setThrew(int what, int value) {
  if (!__THREW__) __THREW__ = what, __threwValue = value;
}
int getTempRet0(void) { return second; }
void setTempRet0(int value) { second = value; }
