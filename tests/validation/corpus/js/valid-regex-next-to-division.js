const ratio = (a, b) => a / b / 2;
const path = "/usr/local/bin";
const parts = path.split(/[/\\]+/u).filter(Boolean);
const quoted = /"(?:[^"\\]|\\.)*"/g;
const named = /(?<year>\d{4})-(?<month>\d{2})/.exec("2025-03");
const total = parts.length / 2;
const weird = /[(){}[\]]/.test("a(b)") ? 1 / 3 : /=/.test("x");
console.log(ratio(1, 2), quoted, named.groups, total, weird);
