import assert from "node:assert/strict";
import test from "node:test";
import {
  ConnectionLost,
  InternalError,
  Orchestrator,
  RateLimited,
  UpstreamError,
  VersionConflict,
  Workspace,
} from "longtable-client";
import { answers, QUICK, withServer } from "./fakeServer.js";

const NOTED = { ok: true, note: { id: "n1" } };

test("a call says who makes it", async () => {
  await withServer(
    (_, response) => answers(response, NOTED),
    async (url, seen) => {
      const table = Workspace.open(`${url}/mcp/`, { token: "t", session: "s1", agent: "Zoë", agentType: "coder" });
      await table.addNote("hello", { tags: ["a"] });

      const { headers, body } = seen[0] ?? assert.fail();
      assert.equal(headers.authorization, "Bearer t");
      assert.equal(headers["x-session-id"], "s1");
      assert.equal(Buffer.from(String(headers["x-caller-agent"]), "latin1").toString(), "Zoë");
      assert.equal(headers["x-agent-type"], "coder");
      assert.deepEqual(
        { ...body.params.arguments, idempotency_key: "" },
        { content: "hello", tags: ["a"], idempotency_key: "" },
      );
    },
  );
});

test("a token with a line break and an address without a scheme are refused at once", () => {
  assert.throws(
    () => Workspace.open("http://127.0.0.1:1", { token: "secret\n" }),
    (error) => {
      assert.ok(error instanceof TypeError);
      return /^Authorization: /.test(error.message) && !error.message.includes("secret");
    },
  );
  assert.throws(() => Workspace.open("127.0.0.1:8765"), TypeError);
});

test("two callers without a name have two, and with a token none", async () => {
  await withServer(
    (_, response) => answers(response, NOTED),
    async (url, seen) => {
      for (const options of [{}, {}, { token: "t" }]) {
        await Workspace.open(url, options).addNote("x");
      }

      const [first, second, third] = seen.map(({ headers }) => headers["x-caller-agent"]);
      assert.match(String(first), /^longtable-client-[0-9a-f]{4}$/);
      assert.match(String(second), /^longtable-client-[0-9a-f]{4}$/);
      assert.equal(third, undefined);
    },
  );
});

test("all notes and all messages are read page by page", async () => {
  const pages = [
    { notes: [{ id: "n1" }, { id: "n2" }], next_cursor: "c2" },
    { notes: [{ id: "n3" }], next_cursor: null },
    { messages: [{ id: 4 }], has_more: true, next_after_id: 4 },
    { messages: [{ id: 5 }], has_more: false, next_after_id: 5 },
  ];
  await withServer(
    (_, response, count) => answers(response, { ok: true, ...pages[count - 1] }),
    async (url, seen) => {
      const table = Workspace.open(url);
      const ids = [];
      for await (const { id } of table.allNotes({ author: "ada" })) {
        ids.push(id);
      }
      for await (const { id } of table.allMessages(3)) {
        ids.push(id);
      }

      const asked = seen.map(({ body }) => body.params.arguments);
      assert.deepEqual(ids, ["n1", "n2", "n3", 4, 5]);
      assert.deepEqual(asked.map(({ order, author, cursor }) => [order, author, cursor]).slice(0, 2), [
        ["oldest", "ada", undefined],
        ["oldest", "ada", "c2"],
      ]);
      assert.deepEqual(asked.map(({ after_id }) => after_id).slice(2), [3, 4]);
    },
  );
});

test("a write whose answer is lost is sent again with the same key", async () => {
  await withServer(
    (_, response, count) => (count < 3 ? response.destroy() : answers(response, { ...NOTED, inbox: { messages: 2 } })),
    async (url, seen) => {
      const table = Workspace.open(url, { link: QUICK });
      const { note } = await table.addNote("hello");

      const keys = seen.map(({ body }) => body.params.arguments.idempotency_key);
      assert.equal(note.id, "n1");
      assert.equal(keys.length, 3);
      assert.equal(new Set(keys).size, 1);
      assert.deepEqual(table.inbox, { messages: 2 });
    },
  );
});

test("two writes have two keys, and a key that is given is used", async () => {
  await withServer(
    (_, response) => answers(response, NOTED),
    async (url, seen) => {
      const table = Workspace.open(url);
      await table.addNote("one");
      await table.addNote("two");
      await table.addNote("three", { idempotency_key: "mine" });

      const [first, second, third] = seen.map(({ body }) => body.params.arguments.idempotency_key);
      assert.notEqual(first, second);
      assert.equal(third, "mine");
    },
  );
});

test("a proxy without a server is tried again, and what the server says will pass", async () => {
  const passing = ["SHUTTING_DOWN", "STORE_UNAVAILABLE", "OVERLOADED", "OUTCOME_UNKNOWN", "RATE_LIMITED"];
  await withServer(
    (_, response, count) => {
      const code = passing[count - 2];
      if (count === 1) {
        response.writeHead(503).end("<h1>no server</h1>");
      } else if (code) {
        answers(response, { ok: false, error: { code, error: "Not now.", details: { retry_after: 0.005 } } });
      } else {
        answers(response, NOTED);
      }
    },
    async (url, seen) => {
      await Workspace.open(url, { link: QUICK }).addNote("x");

      assert.equal(seen.length, passing.length + 2);
      assert.equal(new Set(seen.map(({ body }) => body.params.arguments.idempotency_key)).size, 1);
    },
  );
});

test("who is told to wait for longer than the patience lasts hears so at once", async () => {
  const error = { code: "RATE_LIMITED", error: "Too many calls.", details: { retry_after: 30 } };
  await withServer(
    (_, response) => answers(response, { ok: false, error }),
    async (url, seen) => {
      await assert.rejects(Workspace.open(url).readNotes(), RateLimited);
      assert.equal(seen.length, 1);
    },
  );
});

test("when no attempt gets through, the exception has the key to ask again with", async () => {
  await withServer(
    (_, response) => response.destroy(),
    async (url, seen) => {
      const table = Workspace.open(url, { link: { ...QUICK, attempts: 2 } });
      await assert.rejects(table.addNote("x", { idempotency_key: "k" }), (error) => {
        assert.ok(error instanceof ConnectionLost);
        assert.equal(error.idempotencyKey, "k");
        return true;
      });
      assert.equal(seen.length, 2);
    },
  );
});

test("a write that takes no key is never sent twice", async () => {
  await withServer(
    (_, response) => response.destroy(),
    async (url, seen) => {
      const boss = Orchestrator.open(url, { link: QUICK });
      await assert.rejects(boss.createToken("reader"), ConnectionLost);
      assert.equal(seen.length, 1);
    },
  );
});

test("a refusal is the exception of its code, with its status and its details", async () => {
  const error = {
    code: "VERSION_CONFLICT",
    error: "Changed.",
    details: { current_version: 3 },
    hint: "Read it again.",
  };
  await withServer(
    (_, response) => answers(response, { ok: false, error }),
    async (url, seen) => {
      const table = Workspace.open(url, { link: QUICK });
      await assert.rejects(table.writeDraftSection("intro", "x"), (problem) => {
        assert.ok(problem instanceof VersionConflict);
        assert.deepEqual([problem.code, problem.message, problem.status], [error.code, error.error, 409]);
        assert.deepEqual(problem.details, { current_version: 3 });
        return true;
      });
      assert.equal(seen.length, 1);
    },
  );
});

test("a code that only a newer server knows is kept in the details", async () => {
  const failure = { success: false, code: "TOO_PURPLE", error: "No.", details: { shade: 3 } };
  await withServer(
    (_, response) => answers(response, failure),
    async (url) => {
      await assert.rejects(Workspace.open(url).getMessages(), (problem) => {
        assert.ok(problem instanceof InternalError);
        assert.deepEqual(problem.details, { shade: 3, code: "TOO_PURPLE" });
        return true;
      });
    },
  );
});

test("what is no server of ours is said to be none", async () => {
  await withServer(
    (_, response) => response.end("<h1>Welcome</h1>"),
    async (url) => {
      await assert.rejects(Workspace.open(url).brief(), UpstreamError);
    },
  );
});

test("a signal gives up a call, also between two attempts", async () => {
  await withServer(
    (_, response, count) => {
      if (count > 1) {
        response.destroy();
      }
    },
    async (url) => {
      const table = Workspace.open(url, { link: { firstWaitMs: 60_000 } });
      for (const moment of ["waiting for the answer", "waiting for the next attempt"]) {
        const giveUp = new AbortController();
        const call = table.waitForMessages({ signal: giveUp.signal });
        setTimeout(() => giveUp.abort(new Error(moment)), 50);
        await assert.rejects(call, { message: moment });
      }
    },
  );
});

test("a route of REST gets its path, its query and its body", async () => {
  await withServer(
    (_, response) => response.end(JSON.stringify({ ok: true })),
    async (url, seen) => {
      const boss = Orchestrator.open(url);
      await boss.extendSession("a/b", "2h");
      await boss.listDecisions({ status: "waiting" });

      assert.deepEqual(
        seen.map(({ method, url, body }) => [method, url, body]),
        [
          ["POST", "/sessions/a%2Fb/extend", { ttl: "2h" }],
          ["GET", "/decisions?status=waiting", undefined],
        ],
      );
      assert.match(String(seen[0]?.headers["idempotency-key"]), /^[0-9a-f]{32}$/);
    },
  );
});
