const one = 1;

/* the rest of the module
export function two() {
  return one + one;
}
