






int main() {
return 3;
return 0;
}


