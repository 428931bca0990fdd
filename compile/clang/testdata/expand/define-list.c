
#define N 10
#define M (N + 1)





int main() {
printf("hi");
return 0;
}


