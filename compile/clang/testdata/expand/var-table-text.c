


const char* t[2][2] = {
 {"a","1.5"},
 {"b",""}
};
const int t_rows = 2;
const int t_cols = 2;


int main() {
printf("hi");
return 0;
}


