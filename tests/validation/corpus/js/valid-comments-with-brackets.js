// an opening { in a comment, and a quote "
/* a block comment with ( [ { and `backticks`
   // and a line comment inside
 */
function noop(/* nothing here) */) {
  return; // }
}

/** @type {(a: number) => void} */
const f = (a /* : number */) => { /* empty } */ };
noop(f);
