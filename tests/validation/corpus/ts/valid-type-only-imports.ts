import type { Server } from "node:http";
import { type IncomingMessage, type ServerResponse as Response, createServer } from "node:http";
import fs = require("node:fs");
import data from "./data.json" with { type: "json" };

type Mod = typeof import("node:path");
export type { Server };
export const start = (port: number): Server =>
  createServer((_req: IncomingMessage, res: Response) => res.end(fs.readFileSync("x")), data).listen(port);
export default {} as Mod;
