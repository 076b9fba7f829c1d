#ifndef A_HPP
#define A_HPP
struct A {};
int f();
