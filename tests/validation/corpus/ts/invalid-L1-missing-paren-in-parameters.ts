export function area(width: number, height: number: number {
  return width * height;
}
