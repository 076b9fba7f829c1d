import assert from "node:assert/strict";
import test from "node:test";
import { ConnectionLost, SessionNotFound, Workspace } from "longtable-client";
import { eventFrame, fetchOfStreams, QUICK, streams, withServer } from "./fakeServer.js";

const NOTE = "scratchpad/note_added";
const END = "session/closed";

/** @param {AsyncIterable<import("longtable-client").TableEvent>} events */
async function numbersOf(events) {
  const numbers = [];
  for await (const { seq } of events) {
    numbers.push(seq);
  }
  return numbers;
}

test("events come once each across lost connections, and end with the session", async () => {
  const { asked, fetch } = fetchOfStreams(
    { frames: ["retry: 1000\nid: 4", eventFrame(5, NOTE), ": still here", eventFrame(6, NOTE)], breaks: true },
    { frames: [eventFrame(6, NOTE), eventFrame(7, NOTE), 'event: lagged\ndata: {"after": 7}'] },
    { frames: [eventFrame(8, END)] },
  );
  /** @type {unknown[]} */
  const lost = [];
  const table = Workspace.open("http://table", { session: "s1", link: { ...QUICK, fetch } });
  const events = table.events({ kinds: ["scratchpad/*", END], onLost: (problem) => lost.push(problem) });

  assert.deepEqual(await numbersOf(events), [5, 6, 7, 8]);
  assert.deepEqual(
    asked.map(({ headers }) => headers.get("last-event-id")),
    [null, "6", "7"],
  );
  assert.equal(asked[0]?.url, `http://table/sessions/s1/events?kinds=${encodeURIComponent(`scratchpad/*,${END}`)}`);
  assert.equal(lost.length, 1);
  assert.ok(lost[0] instanceof ConnectionLost);
});

test("a listener that was cut off before the first event continues from the number that the stream began with", async () => {
  const { asked, fetch } = fetchOfStreams(
    { frames: ["retry: 1000\nid: 4"], breaks: true },
    { frames: [eventFrame(5, END)] },
  );
  const table = Workspace.open("http://table", { session: "s1", link: { ...QUICK, fetch } });

  assert.deepEqual(await numbersOf(table.events()), [5]);
  assert.equal(asked[1]?.headers.get("last-event-id"), "4");
});

test("nothing follows after the end of a session", async () => {
  await withServer(
    (_, response) => response.writeHead(204).end(),
    async (url) => {
      assert.deepEqual(await numbersOf(Workspace.open(url, { session: "s1" }).events({ after: 9 })), []);
    },
  );
});

test("a listener that is refused says so, and one that cannot connect gives up", async () => {
  const error = { code: "SESSION_NOT_FOUND", error: "No such session.", details: {} };
  await withServer(
    (_, response) => response.writeHead(404).end(JSON.stringify({ ok: false, error })),
    async (url) => {
      await assert.rejects(numbersOf(Workspace.open(url, { session: "s1" }).events()), SessionNotFound);
    },
  );
  await withServer(
    (_, response) => response.destroy(),
    async (url, seen) => {
      const table = Workspace.open(url, { session: "s1", link: { ...QUICK, reconnects: 2 } });
      await assert.rejects(numbersOf(table.events()), ConnectionLost);
      assert.equal(seen.length, 3);
    },
  );
});

test("whoever stops to listen, or aborts, closes the connection", async () => {
  let closed = 0;
  await withServer(
    (_, response) => {
      response.on("close", () => {
        closed += 1;
      });
      streams(response, eventFrame(5, NOTE));
    },
    async (url) => {
      const table = Workspace.open(url, { session: "s1", link: QUICK });
      for await (const event of table.events()) {
        assert.deepEqual(event.payload, { number: 5 });
        break;
      }
      const giveUp = new AbortController();
      await assert.rejects(
        async () => {
          for await (const _ of table.events({ signal: giveUp.signal })) {
            giveUp.abort(new Error("enough"));
          }
        },
        { message: "enough" },
      );
      for (let tries = 0; closed < 2 && tries < 3000; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      assert.equal(closed, 2);
    },
  );
});
