#ifdef DEBUG
int debug = 1;

int main(void) { return 0; }
