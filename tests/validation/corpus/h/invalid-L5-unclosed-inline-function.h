#pragma once
static inline int twice(int n) {
    return n * 2;

int after;
