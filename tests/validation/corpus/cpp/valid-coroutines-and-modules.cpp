module;
#include <coroutine>
#include <exception>
export module app.gen:part;
import std;
import :impl;
export import app.base;

export template <typename T>
class Generator {
public:
    struct promise_type {
        T value;
        auto get_return_object() { return Generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        template <std::convertible_to<T> From>
        std::suspend_always yield_value(From&& from) { value = std::forward<From>(from); return {}; }
        void return_void() {}
        [[noreturn]] void unhandled_exception() { throw; }
    };
    bool next() { return h_ ? (h_.resume(), !h_.done()) : false; }
    ~Generator() { if (h_) h_.destroy(); }
private:
    explicit Generator(std::coroutine_handle<promise_type> h) : h_(h) {}
    std::coroutine_handle<promise_type> h_;
};

export Generator<int> iota(int n) {
    for (int i = 0; i < n; ++i)
        co_yield i;
    co_return;
}

export namespace util {
task<std::string> fetch(std::string url) {
    auto conn = co_await connect(url);
    auto r = co_await std::move(conn).get<std::string>("/");
    if (!r) co_return "";
    co_return *r + (co_await conn)->body;
}
}
