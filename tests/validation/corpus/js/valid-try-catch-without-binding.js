function parseOr(text, fallback) {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  } finally {
    console.debug("parsed", typeof text);
  }
}

const lookup = { if: 1, for: 2 };
console.log(parseOr("{oops", null), lookup.if, (0, lookup.for), void 0, !-1);
