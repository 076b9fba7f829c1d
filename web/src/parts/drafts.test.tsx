import { act, cleanup, renderHook } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { draftOf, forgetDraft, hasDraft, keepDraft, rememberWriter, useDraft } from "@/parts/drafts";

const KEY = 'longtable-draft:["acme","human:eva"]:question/1';

/** What a reload leaves: the storage of the tab, and nothing that the page remembers. */
function reload(agent = "human:eva"): void {
  rememberWriter("", "");
  rememberWriter("acme", agent);
}

describe("what was typed and not sent", () => {
  beforeEach(() => {
    cleanup();
    sessionStorage.clear();
    reload();
  });

  it("is there again after a reload, for the thing that it was typed for", () => {
    keepDraft("question/1", "Red, I th");
    reload();

    expect(draftOf("question/1")).toBe("Red, I th");
    expect(hasDraft("question/2")).toBe(false);
  });

  it("is not shown to another person who signs in, and is there again for its own", () => {
    keepDraft("question/1", "Red");
    reload("human:kim");
    const kims = draftOf("question/1");
    reload();

    expect(kims).toBeUndefined();
    expect(draftOf("question/1")).toBe("Red");
  });

  it("is gone when it is sent", () => {
    keepDraft("question/1", "Red");
    forgetDraft("question/1");
    reload();

    expect(hasDraft("question/1")).toBe(false);
    expect(sessionStorage.getItem(KEY)).toBeNull();
  });

  it("is nothing where something else was kept under its name", () => {
    sessionStorage.setItem(KEY, "no json");
    const { result } = renderHook(() => useDraft("question/1", { title: "", tags: [] as string[] }));
    const before = result.current[0];
    act(() => keepDraft("question/1", { title: "Costs", tags: "none" }));

    expect([before, result.current[0]]).toEqual([
      { title: "", tags: [] },
      { title: "", tags: [] },
    ]);
  });

  it("is put into a field that is open already", () => {
    const { result } = renderHook(() => useDraft("question/1", ""));

    act(() => keepDraft("question/1", "Red"));

    expect(result.current[0]).toBe("Red");
  });

  it("is forgotten when it is changed back to what it began with", () => {
    const { result } = renderHook(() => useDraft("note/1", { content: "Old" }));
    act(() => result.current[1]({ content: "New" }));
    const changed = hasDraft("note/1");
    act(() => result.current[1]({ content: "Old" }));

    expect([changed, hasDraft("note/1")]).toEqual([true, false]);
  });
});
