// What every driver for Node does: it calls in a loop, obeys lines on stdin, and tells what it sees as JSON lines.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const PAUSE = 30;
const EVENTS = ["scratchpad/note_added", "message/added", "scratchpad/tasks_added"];
const LOST_CONNECTION = [-32000, -32001, "CONNECTION_CLOSED", "REQUEST_TIMEOUT"];
const packages = createRequire(process.env.CLIENT_PACKAGES + "/");

export const config = JSON.parse(process.argv[2]);
export const find = (name) => packages.resolve(name);
export const load = (name) => import(pathToFileURL(packages.resolve(name)).href);
export const says = (at, facts = {}) => process.stdout.write(JSON.stringify({ at, ...facts }) + "\n");

export function hears(notification) {
  const { method, params } = notification;
  if (method === "notifications/resources/updated") says("updated", { uri: params.uri });
  else if (EVENTS.includes(method)) says("event", { seq: params.seq, kind: method });
}

// `client` is one of the SDK; `subscribe` sends a notification that the SDK does not know.
export async function drive(client) {
  const state = { running: false, ended: false, busy: false };
  obey(state);
  await call(client, "create_session", { session_id: config.session_id, purpose: "restarts" });
  await client.subscribeResource({ uri: `longtable://session/${config.session_id}/plan` });
  await client.notification({ method: "notifications/subscribe", params: { events: EVENTS, after: 0 } });
  state.running = true;
  says("ready");
  await work(client, state);
  says("ended");
  process.exit(0);
}

async function work(client, state) {
  for (let number = 1; !state.ended; number += 1) {
    const [tool, args] = nextCall(number);
    while (!state.ended && !state.running) await sleep(PAUSE);
    state.busy = true;
    await untilAnswered(client, state, tool, args, number);
    state.busy = false;
    await sleep(PAUSE);
  }
}

// A call without an answer is made again, with the same key.
async function untilAnswered(client, state, tool, args, number) {
  while (!state.ended) {
    try {
      const result = await call(client, tool, args);
      says("called", { tool, number, ok: result.ok, session_id: result.session_id });
      return;
    } catch (error) {
      if (!state.ended) says(isTransport(error) ? "broken" : "refused", { error: `${error.name}: ${error.message}` });
      await sleep(10 * PAUSE);
    }
  }
}

async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 50000 });
  if (result.isError) throw new Error(JSON.stringify(result.structuredContent));
  return result.structuredContent;
}

function isTransport(error) {
  return (error instanceof TypeError && error.cause !== undefined) || LOST_CONNECTION.includes(error.code);
}

function nextCall(number) {
  const key = `${config.name}-${number}`;
  if (number % 3 === 0) return ["read_notes", { limit: 1 }];
  if (number % 3 === 1) return ["add_note", { content: key, idempotency_key: key }];
  return ["add_message", { content: key, idempotency_key: key }];
}

function obey(state) {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", async (word) => {
    if (word === "go") state.running = true;
    if (word !== "pause") return;
    state.running = false;
    while (state.busy) await sleep(PAUSE);
    says("paused");
  });
  lines.on("close", () => (state.ended = true));
}
