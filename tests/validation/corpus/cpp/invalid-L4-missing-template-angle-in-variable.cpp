#include <map>
#include <string>

std::map<std::string, int counts;
int main() { return 0; }
