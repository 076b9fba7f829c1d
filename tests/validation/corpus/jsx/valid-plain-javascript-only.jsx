const sum = (xs) => xs.reduce((a, b) => a + b, 0);
class Box { #v = 1; get v() { return this.#v; } }
const generic = new Map([["a", [1, 2]]]);
console.log(sum([1, 2]), new Box().v, generic, 1 < 2, 3 > 2, `t ${"<b>"}`);
export default sum;
