import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { untilExpired } from "@/pages/table/expiry";

beforeEach(() => vi.useFakeTimers({ now: Date.parse("2026-05-01T12:00:00Z") }));
afterEach(() => vi.useRealTimers());

describe("the end of a session", () => {
  it("is looked at a second after its time is over", () => {
    expect(untilExpired({ status: "active", expires_at: "2026-05-01T13:00:00Z" })).toBe(3_601_000);
  });

  it("is not asked for all the time by a browser whose clock is ahead", () => {
    expect(untilExpired({ status: "active", expires_at: "2026-05-01T11:00:00Z" })).toBe(5_000);
  });

  it("may be further away than a timer counts", () => {
    expect(untilExpired({ status: "active", expires_at: "2027-05-01T12:00:00Z" })).toBe(2 ** 31 - 1);
  });

  it("is not waited for when it has come", () => {
    expect(untilExpired({ status: "closed", expires_at: "2026-05-01T13:00:00Z" })).toBe(false);
    expect(untilExpired(undefined)).toBe(false);
  });
});
