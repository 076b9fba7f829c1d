#pragma once
struct point { int x; };
};
int y(void);
