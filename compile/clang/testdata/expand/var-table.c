


int t[2][2] = {
 {1,2},
 {3,4}
};
const int t_rows = 2;
const int t_cols = 2;


int main() {
printf("hi");
return 0;
}


