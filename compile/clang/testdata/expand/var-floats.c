


double l[2] = {1,2.5};
const int l_cols = 2;


int main() {
printf("hi");
return 0;
}


