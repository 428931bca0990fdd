


const char* l = "nil";
const int l_rows = 0;
const int l_cols = 0;


int main() {
printf("hi");
return 0;
}


