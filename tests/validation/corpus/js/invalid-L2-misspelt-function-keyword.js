const a = 1;
fucntion add(x, y) {
  return x + y;
}
console.log(add(a, 2));
