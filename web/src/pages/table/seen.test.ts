import { afterEach, describe, expect, it } from "vitest";
import { lastSeen, remember } from "@/pages/table/seen";

afterEach(() => localStorage.clear());

describe("what somebody has seen of a session", () => {
  it("is remembered for each session", () => {
    remember("a", { seq: 7, at: 1_000 });

    expect(lastSeen("a")).toEqual({ seq: 7, at: 1_000 });
    expect(lastSeen("b")).toBeNull();
  });

  it.each(["", "7", "{}", '{"seq":"7","at":1}', "not json"])("counts as nothing when it is kept as %j", (kept) => {
    localStorage.setItem("longtable-seen:a", kept);

    expect(lastSeen("a")).toBeNull();
  });
});
