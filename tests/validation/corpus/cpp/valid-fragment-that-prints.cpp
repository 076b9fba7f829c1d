std::vector<int> numbers = {1, 2, 3};
for (auto& number : numbers) {
    number *= 2;
}
std::cout << numbers.size() << std::endl;
