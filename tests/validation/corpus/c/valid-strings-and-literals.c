#include <wchar.h>

static const char *long_text =
    "first line\n"
    "second \"quoted\" line with } and {\n"
    u8"caf\u00e9 🎉";
static const wchar_t *wide = L"wide // not a comment /* nor this */";
static const unsigned long mask = 0xFFUL << 8 | 0777, big = 1'000'000u;
static const double values[] = { 1., .5, 1e-9, 0x1.8p3, 3.14f };
static const char tab = '\t', nul = '\0', hex = '\x41', oct = '\101';
