#include <memory>
#include <utility>
#include <vector>

template <typename T, typename... Args>
std::unique_ptr<T> build(Args &&...args) {
    return std::unique_ptr<T>(new T(std::forward<Args>(args)...));
}

struct Buffer {
    Buffer(std::size_t n) : data(new char[n]{}), size(n) {}
    Buffer(Buffer &&o) noexcept : data(std::exchange(o.data, nullptr)), size(o.size) {}
    ~Buffer() { delete[] data; }
    char *data;
    std::size_t size;
    int Buffer::*member = nullptr;
    int (Buffer::*method)(int) const = nullptr;
};
auto v = std::vector<std::unique_ptr<Buffer>>{};
auto w = build<Buffer>(16);
