#pragma once
/* a box
template <class T> struct Box { T t; };
