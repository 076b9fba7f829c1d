#ifndef A_H
#define A_H

int add(int a, int b);
