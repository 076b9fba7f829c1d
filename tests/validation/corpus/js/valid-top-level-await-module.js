import { readFile } from "node:fs/promises";
import data from "./data.json" with { type: "json" };
export { default as helper, other as renamed } from "./helper.js";
export * as tools from "./tools.js";

const text = await readFile(new URL("./notes.txt", import.meta.url), "utf8");
for await (const chunk of text.matchAll(/\w+/g)) {
  console.log(chunk[0], data);
}
