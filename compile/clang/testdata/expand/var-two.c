#include <stdio.h>


int a = 1;
int b = 2;




int main() {
printf("hi");
return 0;
}


