const index = new Map<string, number[]();
index.set("a", [1]);
export { index };
