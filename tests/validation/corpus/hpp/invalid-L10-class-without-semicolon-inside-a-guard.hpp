#ifndef POOL_HPP
#define POOL_HPP
#include <vector>

class Pool {
public:
    explicit Pool(unsigned size);
private:
    std::vector<int> slots_;
}

inline Pool::Pool(unsigned size) : slots_(size) {
}

#endif
