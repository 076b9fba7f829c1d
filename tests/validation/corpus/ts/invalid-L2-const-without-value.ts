export function limits() {
  const max: number;
  return max;
}
