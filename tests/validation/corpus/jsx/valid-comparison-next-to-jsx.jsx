function Limits({ a, b, c }) {
  const less = a < b && b > c;
  const shifted = a << 2 >> 1;
  if (a<b) return null;
  return less ? <b>less</b> : <i>{a<b ? "<" : ">"}{shifted}</i>;
}
const re = /<div>/.test("<div>") ? <div/> : null;
export { Limits, re };
