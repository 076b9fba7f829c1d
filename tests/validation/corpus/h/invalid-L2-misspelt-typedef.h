#pragma once
typdef struct { int x; } point;
int f(point p);
