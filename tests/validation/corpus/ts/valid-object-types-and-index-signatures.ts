interface Store<in out T = unknown> extends Iterable<T>, Partial<Record<"a" | "b", T>> {
  (id: number): T;
  new (name: string): Store<T>;
  readonly [index: number]: T;
  get length(): number;
  method?<U>(this: Store<T>, map: (value: T, index?: number) => U): U[];
}
type Tuple = [first: string, second?: number, ...rest: boolean[]];
type Deep = { a: { b: [string, { c: null }][] } }["a"]["b"][number][1]["c"];
declare const u: unique symbol;
let f: (this: void, arg: unknown) => asserts arg;
export type { Store, Deep };
