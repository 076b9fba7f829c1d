const home = String.raw`C:\users\new\x64 ${process.env.USER}`;
const pattern = new RegExp(String.raw`\u{1F600}|\d+`, "u");

class Counter {
  static #count = 0;
  accessor step = 1;

  next() {
    return (Counter.#count += this.step);
  }

  has(other) {
    return #count in other;
  }
}

console.log(home, pattern, new Counter().next());
