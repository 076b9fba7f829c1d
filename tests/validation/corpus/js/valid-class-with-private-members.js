class Counter {
  static #instances = 0;
  #count = 0;
  static {
    Counter.#instances = 0;
  }
  get value() {
    return this.#count;
  }
  set value(next) {
    this.#count = next;
  }
  static isCounter(obj) {
    return #count in obj;
  }
  *[Symbol.iterator]() {
    for (let i = 0; i < this.#count; i++) yield i;
  }
  async *stream() {
    yield* this;
  }
}

const c = new Counter();
c.value = 3;
console.log([...c], Counter.isCounter(c));
