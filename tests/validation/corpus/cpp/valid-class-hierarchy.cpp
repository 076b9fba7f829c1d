#include <memory>
#include <stdexcept>

class Base {
public:
    explicit Base(int id) noexcept : id_{id} {}
    Base(const Base &) = delete;
    Base &operator=(Base &&) & = default;
    virtual ~Base() = default;
    virtual double cost() const = 0;
    friend bool operator==(const Base &a, const Base &b) { return a.id_ == b.id_; }
    operator bool() const { return id_ != 0; }

protected:
    int id_;
};

class Derived final : public virtual Base {
    using Base::Base;
    [[nodiscard]] double cost() const override { return id_ > 0 ? 1.5 : throw std::runtime_error{"bad"}; }
    int operator()(int x) const && { return x; }
};
