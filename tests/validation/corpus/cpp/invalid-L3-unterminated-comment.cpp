int one() { return 1; }

/* the rest
int two() { return 2; }
int three() { return 3; }
