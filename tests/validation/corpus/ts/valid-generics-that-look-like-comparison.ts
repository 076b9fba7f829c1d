const results = new Map<string, Array<Promise<number>>>();
const compare = (a: number, b: number): boolean => a < b && b > (a + 1);
const cast = <T,>(value: unknown): T => value as T;
const old = <any>results;
const shifted = 1 << 2 >> 1 >>> 0;
const call = cast<Record<string, number[]>>({})["x"]!?.at(-1)!;
const inst = Map<string, number>;
let x = compare(1, 2) ? <const>["a"] : ["b"] as const;
export { results, old, shifted, call, inst, x };
