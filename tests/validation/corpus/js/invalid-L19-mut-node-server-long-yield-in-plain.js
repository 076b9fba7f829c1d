#!/usr/bin/env node
"use strict";
const http = require("node:http");
const { pipeline } = require("node:stream/promises");
const { parseArgs } = require("node:util");

const { values: { port = "8080", verbose } } = parseArgs({
  options: { port: { type: "string", short: "p" }, verbose: { type: "boolean" } },
});

const routes = new Map([
  ["/", home],
  ["/health", (req, res) => res.end("ok")],
]);

async function ticks(ms, signal) {
  let n = 0;
  while (!signal.aborted) {
    yield `data: ${JSON.stringify({ n: n++, at: Date.now() })}\n\n`;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

function home(req, res) {
  res.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  res.end(`<!doctype html><title>${escape(req.url)}</title>
<script>
  const es = new EventSource("/events");
  es.onmessage = ({ data }) => console.log(\`got \${data}\`);
</script>`);
}

const server = http.createServer(async (req, res) => {
  const started = process.hrtime.bigint();
  try {
    if (req.url === "/events") {
      const controller = new AbortController();
      req.on("close", () => controller.abort());
      res.writeHead(200, { "content-type": "text/event-stream" });
      return await pipeline(ticks(1_000, controller.signal), res);
    }
    (routes.get(req.url) ?? notFound)(req, res);
  } catch {
    if (!res.headersSent) res.statusCode = 500;
    res.end();
  } finally {
    if (verbose) console.log(req.method, req.url, Number(process.hrtime.bigint() - started) / 1e6, "ms");
  }
});

function notFound(_, res) { res.statusCode = 404; res.end("not found"); }

server.listen(+port, () => console.log(`http://localhost:${port}`));
process.on("SIGTERM", () => server.close());
