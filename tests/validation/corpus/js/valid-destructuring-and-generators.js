function* fibonacci(limit = Infinity) {
  let [a, b] = [0, 1];
  while (a < limit) {
    const reset = yield a;
    [a, b] = reset ? [0, 1] : [b, a + b];
  }
}

const { a: { b: [first, , ...others] = [] } = {}, ...rest } = { a: { b: [1, 2, 3, 4] }, z: 9 };
const sum = (...nums) => nums.reduce((x, y) => x + y, 0);
console.log([...fibonacci(50)], first, others, rest, sum(...others,), 1_000_000n ** 2n);
