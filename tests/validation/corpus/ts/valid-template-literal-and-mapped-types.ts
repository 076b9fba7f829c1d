type EventName<T extends string> = `on${Capitalize<T>}`;
type Handlers<T> = {
  readonly [K in keyof T as K extends string ? EventName<K> : never]?: (value: T[K]) => void;
};
type Mutable<T> = { -readonly [K in keyof T]-?: T[K] };
type Unwrap<T> = T extends Promise<infer U extends object> ? Unwrap<U> : T;
type Fn = new (...args: any[]) => object;
type Getter = abstract new () => void;

export const handlers: Handlers<{ click: MouseEvent; focus: 1 | 2 }> = {
  onClick: (e) => e.preventDefault(),
};
export type { Mutable, Unwrap, Fn, Getter };
