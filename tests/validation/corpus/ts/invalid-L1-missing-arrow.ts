const double = (x: number): number {
  return x * 2;
};
export default double;
