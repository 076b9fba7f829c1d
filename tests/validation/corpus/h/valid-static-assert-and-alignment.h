#pragma once
#include <assert.h>
struct packet { _Alignas(8) char data[64]; unsigned short len; };
static_assert(sizeof(struct packet) % 8 == 0, "alignment");
extern const struct packet empty_packet;
enum { MAX_PACKETS = 0x40 };
