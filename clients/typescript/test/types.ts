/** What the types allow and refuse. Checked by the compiler, never run. */

import { type NoteAdded, Orchestrator, VersionConflict, Workspace } from "longtable-client";

const table = Workspace.open("http://127.0.0.1:8765", { agent: "ada" });
const boss = Orchestrator.open("http://127.0.0.1:8765");

const added: NoteAdded = await table.addNote("x", { tags: ["a"] as const, idempotency_key: "k" });
added.note.id satisfies string;
(await table.getMemory("plan", { scope: "session" })).value satisfies unknown;
(await table.claimTask()).task?.description satisfies string | undefined;
await table.addTasks([{ description: "x", priority: "high" }]);

// @ts-expect-error: no such priority
await table.addTasks([{ description: "x", priority: "urgent" }]);
// @ts-expect-error: content is missing
await table.addNote();
// @ts-expect-error: no such option
await table.addNote("x", { tagged: [] });
// @ts-expect-error: an agent names no session
await table.readNotes({ session_id: "s1" });
// @ts-expect-error: a read takes no key
await table.readNotes({ idempotency_key: "k" });

await boss.close("s1");
boss.workspace("s1", { agent: "ada" }) satisfies Workspace;

for await (const event of table.events({ after: 0 })) {
  if (event.kind === "session/closed") {
    event.payload satisfies Record<string, unknown>;
  }
}

try {
  await table.brief();
} catch (error) {
  if (error instanceof VersionConflict) {
    error.details satisfies Record<string, unknown>;
    error.status satisfies number;
  }
}
