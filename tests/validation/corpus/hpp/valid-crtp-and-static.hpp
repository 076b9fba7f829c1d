#pragma once
template <class Derived>
struct Counted {
    static inline int count = 0;
    Counted() { ++count; }
    Derived &self() { return static_cast<Derived &>(*this); }
    template <class U> void visit(U &&u) { self().template accept<U>(static_cast<U &&>(u)); }
};
struct Node final : private Counted<Node> { int *p = nullptr; };
