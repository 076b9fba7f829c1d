const values: number[] = [1, 2, 3];
const total = values.map((v) => v * 2)).reduce((a, b) => a + b);
export { total };
