#pragma once
enum colour { RED; GREEN };
int z(void);
