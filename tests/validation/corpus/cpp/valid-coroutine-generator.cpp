#include <coroutine>
#include <utility>

struct Task {
    struct promise_type {
        int current{};
        Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { current = v; return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

Task count(int n) {
    for (int i = 0; i < n; ++i) co_yield i;
    co_return;
}
