export function setup() {
  import fs from "node:fs";
  return fs.readdirSync(".");
}
