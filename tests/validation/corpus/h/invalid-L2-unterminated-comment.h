#pragma once
/* adds two numbers
int add(int a, int b);
