type Fn<A extends unknown[] = any[], R = void> = (...args: A) => R;
type Ctor<T = {}> = abstract new (...args: any[]) => T;
type Unwrap<T> = T extends Promise<infer U extends string | number> ? U : T extends (infer E)[] ? Unwrap<E> : T;
type DeepPartial<T> = T extends Function ? T : { [P in keyof T]?: DeepPartial<T[P]> };
type Opt = Partial<Record<"a" | "b", [x: number, y?: string, ...z: boolean[]]>>;
type Pred = (x: unknown) => x is string;
type Acc = { get value(): string; set value(v: string | number); readonly [Symbol.iterator]: () => Iterator<string> };
type Idx = Opt["a" | "b"][number];
type Neg = -1 | 1n | `a${1 | 2}b` | null | undefined | void;
type Im = import("./mod", { with: { "resolution-mode": "import" } }).Thing<string>;
type TQ = typeof import("./mod");
type Inst = InstanceType<typeof Foo<string>>;

export interface Call<in T, out R> extends Fn<[T], R> {
  (arg: T): R;
  new (arg: T): Call<T, R>;
  readonly name: string;
  method?<K extends keyof T>(key: K): T[K];
  [index: number]: R;
}

export function mixin<TBase extends Ctor>(Base: TBase) {
  abstract class Mixed extends Base {
    abstract run(): void;
    #secret?: string;
  }
  return Mixed;
}
const cast = <any>window;
const x = y as any as string, z = a! + b!.c![0]!;
const inst = new Map<string, Array<{ id: number }>>();
const less = a < b, call = f<string>(c), gen = g<T>, opt = obj?.m<number>?.(1);
let v = (<T>(q: T) => q)<string>("s");
for (const k in o as any) delete (o as any)[k];
abstract class Q { abstract x: number; private static readonly y?: string = "a"; }
