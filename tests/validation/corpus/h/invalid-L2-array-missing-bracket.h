#pragma once
extern int table[8;
int lookup(int i);
