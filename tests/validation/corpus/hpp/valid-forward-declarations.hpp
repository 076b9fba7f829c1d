#pragma once
// forward declarations } only
class Engine;
struct Wheel;
template <typename, int = 4> class Grid;
namespace detail { enum class Kind; }
Engine *make_engine(const Wheel &, int = 3);
