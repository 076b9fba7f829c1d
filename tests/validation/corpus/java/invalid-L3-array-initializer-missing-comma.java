class Primes {
    int[] values = {
        2, 3, 5
        7, 11
    };
}
