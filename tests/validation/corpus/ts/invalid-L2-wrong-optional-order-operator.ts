type A = { name: string };
export const get = (a?: A): string => a?.name ?? ;
export type { A };
