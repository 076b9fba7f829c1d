import { describe, expect, it } from "vitest";
import { rootOf, threaded } from "@/pages/table/messages/data";
import { firstLine, type Message, readers, replyChoices } from "@/pages/table/messages/visibility";

function message(id: number, parent: number | null = null, more: Partial<Message> = {}): Message {
  return {
    id,
    session_id: "s1",
    sender: "writer",
    sender_type: "generic",
    content: "Hello",
    visibility: "public",
    metadata: {},
    parent_message_id: parent,
    timestamp: "2026-01-01T00:00:00Z",
    ...more,
  };
}

describe("messages", () => {
  it("say who can read them", () => {
    expect(readers(message(1))).toBeNull();
    expect(readers(message(1, null, { visibility: "private" }))).toBe("Only writer can read this");
    expect(readers(message(1, null, { visibility: "agent_only", sender_type: "critic" }))).toBe(
      "Only agents of type critic can read this",
    );
  });

  it("name the one they are for among those who can read them", () => {
    const directed = message(1, null, { visibility: "private", to: "planner" });

    expect(readers(directed)).toBe("Only writer and planner can read this");
    expect(readers({ ...directed, to: "writer" })).toBe("Only writer can read this");
  });

  it("are answered no wider than they can be read", () => {
    expect(replyChoices(message(1), "human:me")).toEqual(["public", "agent_only", "private"]);
    expect(replyChoices(message(1, null, { visibility: "agent_only" }), "human:me")).toEqual(["agent_only", "private"]);
  });

  it("cannot be answered where the answer would not reach their sender", () => {
    expect(replyChoices(message(1, null, { visibility: "private" }), "human:me")).toEqual([]);
    expect(replyChoices(message(1, null, { visibility: "agent_only", sender_type: "critic" }), "human:me")).toEqual([]);
    expect(replyChoices(message(1, null, { visibility: "private", sender: "human:me" }), "human:me")).toEqual([
      "private",
    ]);
  });

  it("are quoted by their first line", () => {
    expect(firstLine("\n  One\nTwo")).toBe("One");
    expect(firstLine("> Then write *two thirds*")).toBe("Then write two thirds");
    expect(firstLine("x".repeat(20), 10)).toBe(`${"x".repeat(9)}…`);
  });
});

describe("a thread", () => {
  it("is found by climbing to its first message", async () => {
    const known = new Map([message(1), message(2, 1), message(5, 2)].map((one) => [one.id, one]));

    expect(await rootOf(message(9, 5), async (id) => known.get(id))).toBe(1);
    expect(await rootOf(message(9), async () => undefined)).toBe(9);
  });

  it("begins at the parent that cannot be read any more", async () => {
    expect(await rootOf(message(9, 5), async () => undefined)).toBe(5);
  });

  it("has each answer under what it answers", () => {
    const messages = [message(1), message(2, 1), message(3, 1), message(4, 2), message(5, 3)];

    expect(threaded(messages).map(({ message: { id }, depth }) => [id, depth])).toEqual([
      [1, 0],
      [2, 1],
      [4, 2],
      [3, 1],
      [5, 2],
    ]);
  });

  it("shows an answer whose parent is missing", () => {
    expect(threaded([message(7, 3)])).toHaveLength(1);
  });

  it("is not indented without end", () => {
    const messages = Array.from({ length: 20 }, (_, place) => message(place + 1, place === 0 ? null : place));

    expect(Math.max(...threaded(messages).map(({ depth }) => depth))).toBe(4);
  });
});
