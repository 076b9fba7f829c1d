double total(double net, double tax) {
    double sum = net tax;
    return sum;
}
