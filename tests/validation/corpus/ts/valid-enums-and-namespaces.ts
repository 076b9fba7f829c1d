export const enum Direction { Up = 1, Down, Left = "left".length, Right = 1 << 3 }
declare global {
  interface Window { analytics?: { track(name: string): void } }
}
declare module "*.svg" {
  const url: string;
  export default url;
}
namespace Geometry.Shapes {
  export interface Point { x: number; y: number }
  export const origin: Point = { x: 0, y: 0 };
}
export import Shapes = Geometry.Shapes;
