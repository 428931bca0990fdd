
#define N 10
#define M 20





int main() {
printf("hi");
return 0;
}


