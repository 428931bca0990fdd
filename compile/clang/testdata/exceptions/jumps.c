/* setjmp and longjmp, through frames, in loops, nested and with changed locals. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf outer, inner;
static void down(int n) {
  char room[64];
  snprintf(room, sizeof room, "%d", n);
  if (n == 5) longjmp(outer, atoi(room));
  down(n + 1);
}
static int order(const void *a, const void *b) { longjmp(inner, *(const int *)a + *(const int *)b); }
static double mixed(double x, long long y, float z) { if (x < 0) longjmp(outer, 9); return x + y + z; }

#define TRY switch (setjmp(outer)) { case 0:
#define CATCH(n) break; case n:
#define END }

int main(void) {
  int r = setjmp(outer);
  printf("%d\n", r);
  if (r == 0) down(0);
  volatile int times = 0;
  if (setjmp(inner) < 3) longjmp(inner, ++times);
  printf("times %d\n", times);
  if (setjmp(inner) == 0) longjmp(inner, 0);
  else puts("zero becomes one");
  int numbers[] = {4, 8};
  if ((r = setjmp(inner)) == 0) qsort(numbers, 2, sizeof *numbers, order);
  printf("from qsort %d\n", r);
  TRY
    printf("%g\n", mixed(1, 2, 3));
    printf("%g\n", mixed(-1, 2, 3));
  CATCH(9)
    puts("nine");
  END
  long sum = 0;
  for (volatile int i = 0; i < 100000; i++) {
    int got = setjmp(outer);
    if (got == 0) longjmp(outer, 1 + i % 7);
    sum += got;
  }
  printf("sum %ld\n", sum);
  return 0;
}
