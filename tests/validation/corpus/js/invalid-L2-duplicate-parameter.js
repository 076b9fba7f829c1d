"use strict";
const scale = (x, y, x) => {
  return x * y;
};
scale(1, 2, 3);
