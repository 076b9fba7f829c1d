#pragma once
enum class Colour { red; green };
int after();
