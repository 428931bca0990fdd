






int main() {
int a = 1;
a = 2;
a++;

return 0;
}


