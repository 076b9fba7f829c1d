const name: string = "Ada";

const text = `hello
  dear reader
  of this page;
export { text, name };
