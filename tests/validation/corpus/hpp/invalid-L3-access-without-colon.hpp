#pragma once
class A {
public
    int x;
};
