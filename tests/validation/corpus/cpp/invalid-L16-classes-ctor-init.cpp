#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace app {

template <typename T>
concept Named = requires(const T& t) {
    { t.name() } -> std::same_as<std::string>;
};

class Node {
public:
    explicit Node(std::string name, int depth = 0) : name_{std::move(name)} depth_(depth) {}
    Node(Node&&) noexcept = default;
    virtual ~Node() = default;
    explicit operator bool() const = delete;

    [[nodiscard]] const std::string& name() const& noexcept { return name_; }
    template <class... Args>
    Node& add(Args&&... args) {
        children_.emplace_back(std::make_unique<Node>(std::forward<Args>(args)...));
        return *children_.back();
    }
    void walk(const std::function<void(const Node&)>& f) const {
        f(*this);
        for (const auto& child : children_) {
            if (child != nullptr && child->depth_ < 10) {
                child->walk(f);
            } else {
                continue;
            }
        }
    }

protected:
    std::vector<std::unique_ptr<Node>> children_;

private:
    std::string name_;
    int depth_ = 0;
    int** table_ = new int*[4];
};

enum class Color : unsigned char { Red = 1, Green, Blue };

struct Point {
    int x{}, y{};
    friend bool operator==(const Point&, const Point&) = default;
    Point operator+(const Point& o) const { return {x + o.x, y + o.y}; }
};

template <typename F, typename... A>
    requires std::invocable<F, A...>
auto call(F&& f, A&&... a) -> std::invoke_result_t<F, A...> {
    return std::invoke(std::forward<F>(f), std::forward<A>(a)...);
}

}  // namespace app

int main() {
    app::Node root{"root"};
    root.add("child", 1).add("grandchild", 2);
    auto count = 0;
    root.walk([&count](const app::Node& n) { count += n.name().empty() ? 0 : 1; });
    switch (count) {
        case 0: return 1;
        case 1: {
            break;
        }
        default: break;
    }
    app::Point p{.x = 1, .y = 2};
    auto q = p + app::Point{3, 4};
    return q == p ? 1 : 0;
}
