/* Adds two numbers.
 * @param a the first
export function add(a: number, b: number): number {
  return a + b;
}
