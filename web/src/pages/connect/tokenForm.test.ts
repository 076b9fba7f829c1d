import { expect, test } from "vitest";
import { EMPTY, problemOf, tokenRequestOf } from "@/pages/connect/tokenForm";

test("an agent needs a name and a session", () => {
  expect(problemOf(EMPTY)).toMatch(/name/);
  expect(problemOf({ ...EMPTY, agent: "ada" })).toMatch(/session/);
  expect(problemOf({ ...EMPTY, agent: "ada", session_id: "review-42" })).toBeUndefined();
});

test("a person needs neither, and what was typed for an agent is not sent", () => {
  const fields = { ...EMPTY, role: "human" as const, agent: "ada", session_id: "review-42", name: " Mira " };

  expect(problemOf(fields)).toBeUndefined();
  expect(tokenRequestOf(fields)).toEqual({ role: "human", name: "Mira", expires_in: "30d" });
});

test("a token that never expires has no lifetime, and one without a name is named by the server", () => {
  const fields = { ...EMPTY, agent: " ada ", session_id: "review-42", expires_in: "" };

  expect(tokenRequestOf(fields)).toEqual({ role: "agent", agent: "ada", session_id: "review-42" });
});
