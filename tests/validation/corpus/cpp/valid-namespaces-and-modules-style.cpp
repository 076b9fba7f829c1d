namespace app::inline v1::detail {
    inline namespace helpers { int value = 1; }
    namespace { int hidden = 2; }
}
namespace d = app::v1::detail;
using d::value;
extern "C" { int c_function(int); }
extern "C" void other(void);
