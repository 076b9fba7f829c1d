export function area(width: number, height: number): number {
  return multiply(width,, height);
}
