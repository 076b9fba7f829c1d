function f(a?: number = 3) {
  return a;
}
