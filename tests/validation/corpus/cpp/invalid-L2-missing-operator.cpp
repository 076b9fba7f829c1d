double total(double net, double tax) {
    auto sum = net tax;
    return sum;
}
