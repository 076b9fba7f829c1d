type Mode = "read" | "write;
let mode: Mode = "read";
export { mode };
