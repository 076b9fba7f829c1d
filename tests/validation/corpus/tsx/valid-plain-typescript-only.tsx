export type Deep<T> = T extends object ? { readonly [K in keyof T]: Deep<T[K]> } : T;
export const compare = (a: number, b: number): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);
export abstract class Base<in T> { abstract run(x: T): void }
export const map = new Map<string, Array<() => void>>([["a", [() => {}]]]);
declare const VERSION: string;
