#include <stdio.h>
#include "own.h"
#include "other.h"






int main() {
printf("hi");
return 0;
}


