#pragma once
#include <cstddef>
#include <vector>

template <typename T>
class Stack {
public:
    void push(T value) { items_.push_back(std::move(value)); }
    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
    const T &operator[](std::size_t i) const { return items_[i]; }

private:
    std::vector<T> items_{};
};
