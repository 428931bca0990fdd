#include <stdio.h>
#include <stdlib.h>
#include "own.h"






int main() {
printf("hi");
return 0;
}


