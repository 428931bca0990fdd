


const char* s = "some text";
const char* t = "a\nb";




int main() {
printf("hi");
return 0;
}


