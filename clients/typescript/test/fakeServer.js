/** A server that answers as a test tells it to. */

import { once } from "node:events";
import { createServer } from "node:http";

/**
 * @typedef {{ method: string, url: string, headers: import("node:http").IncomingHttpHeaders, body: any }} Seen
 * @typedef {(seen: Seen, response: import("node:http").ServerResponse, count: number) => void} Answer
 */

/**
 * Calls `answer` for each request, and `use` with the address and the requests that came.
 * @param {Answer} answer
 * @param {(url: string, seen: Seen[]) => Promise<void>} use
 */
export async function withServer(answer, use) {
  /** @type {Seen[]} */
  const seen = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) {
      text += piece;
    }
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, headers, body: text ? JSON.parse(text) : undefined });
    answer(/** @type {Seen} */ (seen.at(-1)), response, seen.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  try {
    await use(`http://127.0.0.1:${address.port}`, seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/**
 * The answer of a tool.
 * @param {import("node:http").ServerResponse} response
 * @param {object} body
 */
export function answers(response, body) {
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { structuredContent: body, isError: false } }));
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string[]} frames
 */
export function streams(response, ...frames) {
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
  response.write(frames.map((frame) => `${frame}\n\n`).join(""));
}

/**
 * A frame of an event stream.
 * @param {number} seq
 * @param {string} kind
 */
export function eventFrame(seq, kind) {
  const event = { seq, kind, session_id: "s1", actor: "ada", timestamp: "2026-01-01T00:00:00Z", number: seq };
  return `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(event)}`;
}

/**
 * A `fetch` whose answers are event streams. What breaks does so after its frames were read: a connection that breaks may
 * lose what was not read yet.
 * @param {{ frames: string[], breaks?: boolean }[]} streams
 */
export function fetchOfStreams(...streams) {
  /** @type {{ url: string, headers: Headers }[]} */
  const asked = [];
  /** @type {typeof fetch} */
  const answer = async (url, init) => {
    const { frames = [], breaks = false } = streams[asked.length] ?? {};
    asked.push({ url: String(url), headers: new Headers(init?.headers) });
    const pieces = frames.map((frame) => new TextEncoder().encode(`${frame}\n\n`));
    /** @param {ReadableStreamDefaultController} controller */
    const pull = (controller) => {
      const piece = pieces.shift();
      if (piece) {
        controller.enqueue(piece);
      } else if (breaks) {
        controller.error(new TypeError("terminated"));
      } else {
        controller.close();
      }
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  };
  return { asked, fetch: answer };
}

/** Waits that are short, for tests. */
export const QUICK = { firstWaitMs: 1, longestWaitMs: 5 };
