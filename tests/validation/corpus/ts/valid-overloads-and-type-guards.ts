export function parse(input: string): number;
export function parse(input: string[], radix?: number): number[];
export function parse(input: string | string[], radix = 10): number | number[] {
  return Array.isArray(input) ? input.map((s) => parseInt(s, radix)) : parseInt(input, radix);
}

function isString(x: unknown): x is string {
  return typeof x === "string";
}

function assertDefined<T>(x: T | undefined, message?: string): asserts x is T {
  if (x === undefined) throw new Error(message);
}
export { isString, assertDefined };
