






static int x;
void main() { }

