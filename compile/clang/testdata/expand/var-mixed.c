


const char* l[3] = {"1","two","3.0"};
const int l_cols = 3;


int main() {
printf("hi");
return 0;
}


