import { setTimeout as sleep } from "timers/promises";
import json from "./package.json" with { type: "json", };
import "./side-effect.js";
import "./style.css" with { type: "css" };
export { x } from "./x.json" with { type: "json" };
export * from "./all.js";
const mod = await import(`./lang/${navigator.language}.js`);
const maybe = import.meta.hot?.accept?.();
export async function* walk(dir) { for await (const e of dir) e.isDir ? yield* walk(e) : yield e; }
await sleep(10); mod.default(json, maybe);
