let as = "alias";
const { type, of, is } = { type: 1, of: 2, is: 3 };

export type Loose = { [K in keyof Options]? : Options[K] };

interface Options {
  as: string;
  onScroll: ({ behavior }?: ScrollOptions) => void;
}

declare module "table" {
  global {
    var table: Options;
  }
}

console.log(as, type, of, is);
