const key = "dynamic";
const api = {
  key,
  [key + "Value"]: 1,
  "quoted-key": 2,
  3: "three",
  get size() { return 1; },
  set size(v) { this._size = v; },
  async load() { return await null; },
  *walk() { yield 1; },
  async *pages() { yield 2; },
  get: 1, set: 2, async: 3, static: 4, of: 5, new: 6, class: 7,
  __proto__: null,
};
console.log(api.class, api.new, { ...api }.get);
