export const a = 1;
interfase Point {
  x: number;
  y: number;
}
