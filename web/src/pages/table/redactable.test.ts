import { describe, expect, it } from "vitest";
import { nameOfRedacted } from "@/pages/table/redactable";

describe("the name of what an owner takes back", () => {
  it("is the kind and the id of what has an id of its own", () => {
    expect(nameOfRedacted({ kind: "note", id: "n3" })).toBe("note n3");
    expect(nameOfRedacted({ kind: "task", id: "t2" })).toBe("task t2");
  });

  it("says whose part it is where it has none", () => {
    expect(nameOfRedacted({ kind: "answer", id: "q2" })).toBe("the answer to q2");
    expect(nameOfRedacted({ kind: "task_note", id: "t2", number: 1 })).toBe("note 1 of task t2");
    expect(nameOfRedacted({ kind: "title", id: "intro" })).toBe("the title of section intro");
    expect(nameOfRedacted({ kind: "session", id: "s1" })).toBe("the purpose of this session");
    expect(nameOfRedacted({ kind: "reservation", id: "src" })).toBe("the reason of the reservation of src");
  });
});
