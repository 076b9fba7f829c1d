#pragma once
namespace app {
struct A { int x; };
inline int one() { return 1; }
