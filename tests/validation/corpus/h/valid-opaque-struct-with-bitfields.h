#pragma once
/* a brace { in a comment */
struct flags {
    unsigned ready : 1;
    unsigned mode  : 3;
    unsigned       : 4;
    char name[16];
}; // }
struct flags flags_of(int n);
