


int l[3] = {1,2,3};
const int l_cols = 3;


int main() {
printf("hi");
return 0;
}


