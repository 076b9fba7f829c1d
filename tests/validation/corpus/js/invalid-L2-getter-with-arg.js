const o = {
  get size(n) { return n; },
};
