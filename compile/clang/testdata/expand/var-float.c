


double x = 2.5;
double y = 10000000000.0;
double z = 1e+21;
double w = -0.1;






int main() {
printf("hi");
return 0;
}


