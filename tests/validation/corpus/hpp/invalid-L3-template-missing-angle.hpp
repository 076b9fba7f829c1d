#pragma once
template <typename T
class Box { T value; };
int after;
