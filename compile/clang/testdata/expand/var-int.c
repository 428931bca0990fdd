


int x = 3;



int main() {
printf("hi");
return 0;
}


