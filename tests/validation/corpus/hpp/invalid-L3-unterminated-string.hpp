#pragma once
#include <string>
inline const std::string name = "demo;
int after();
