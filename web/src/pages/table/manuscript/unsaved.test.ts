import { beforeEach, describe, expect, it } from "vitest";
import { forgetUnsaved, keepUnsaved, unsavedOf } from "@/pages/table/manuscript/unsaved";
import { forgetDraft, keepDraft } from "@/parts/drafts";

const TEXT = { base: 3, title: "Costs", content: "Little." };

describe("text that was not saved", () => {
  beforeEach(() => {
    for (const section of ["garden/costs", "garden/intro"]) forgetDraft(`section/${section}`);
  });

  it("is there again for the section that it was written for", () => {
    keepUnsaved("garden", "costs", TEXT);

    expect(unsavedOf("garden", "costs")).toEqual(TEXT);
    expect(unsavedOf("garden", "intro")).toBeUndefined();
    expect(unsavedOf("office", "costs")).toBeUndefined();
  });

  it("is gone once it is forgotten", () => {
    keepUnsaved("garden", "costs", TEXT);

    forgetUnsaved("garden", "costs");

    expect(unsavedOf("garden", "costs")).toBeUndefined();
  });

  it("is nothing where something else was kept under its name", () => {
    keepDraft("section/garden/costs", { base: "x" });
    keepDraft("section/garden/intro", "no section");

    expect(unsavedOf("garden", "costs")).toBeUndefined();
    expect(unsavedOf("garden", "intro")).toBeUndefined();
  });
});
