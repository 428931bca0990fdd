


int t[2][2] = {
 {1,2},
 {3,4}
};
const int t_rows = 2;
const int t_cols = 2;
<helper>
const char* t_header[2] = {"n","m"};
int t_h (int row, const char* col) { return t[row][get_column_num(2,t_header,col)]; }
int main() {
printf("hi");
return 0;
}


