const point = (x, y) => ({ x, y });
const curry = (f) => (a) => (b) => f(a, b);
const guarded = async ({ id, name = "anonymous" } = {}, [head] = []) => {
  if (!id) throw new TypeError(`no id for ${name}`);
  return { id, head };
};
const pick = async x => await x;
(async () => { await guarded({ id: 1 }, [2]); })();
(function iife() { "use strict"; })();
export default curry(point);
