import { expect, test } from "vitest";
import { byConversation } from "@/pages/gateway/conversations";
import type { Intent } from "@/pages/gateway/data";

function intent(id: string, conversation: string): Intent {
  return {
    intent_id: id,
    agent: "ada",
    session_id: null,
    conversation_id: conversation,
    surface_type: "web",
    surface_user_id: "mira",
    original_message: "",
    intent_hint: null,
    workspace_id: null,
    remote_id: null,
    created_at: "",
    updated_at: "",
    calls: [],
  };
}

test("the liveliest conversation is first, and each reads from its beginning", () => {
  const newestFirst = [intent("i4", "b"), intent("i3", "a"), intent("i2", "b"), intent("i1", "a")];

  const found = byConversation(newestFirst).map(({ id, intents }) => [id, intents.map((each) => each.intent_id)]);

  expect(found).toEqual([
    ["b", ["i2", "i4"]],
    ["a", ["i1", "i3"]],
  ]);
});
