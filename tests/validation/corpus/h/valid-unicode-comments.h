/* Größe, 日本語 🎉: "unbalanced ( */
#pragma once
extern const char *größe;
#define GREETING "Grüße 🎉"
int zähle(const int *restrict werte, int n);
