import { expect, test } from "vitest";
import { authorizationOf } from "@/pages/gateway/authorization";
import type { Upstream } from "@/pages/gateway/data";

const shown = (authorization?: object) => authorizationOf({ authorization } as Upstream);

test("an upstream that wants no authorization shows none", () => {
  expect(shown()).toBeNull();
});

test("a connected one tells by whom and where", () => {
  const connected = { state: "connected", connected_by: "human:ada", issuer: "https://id.example" };
  expect(shown(connected)).toEqual({
    state: "connected",
    tone: "good",
    detail: "by human:ada at https://id.example",
    isConnected: true,
  });
});

test("one that has lost its authorization tells why", () => {
  const lost = { state: "needs authorization", problem: "It was refused.", connected_by: "human:ada" };
  expect(shown(lost)).toMatchObject({ tone: "warn", detail: "It was refused.", isConnected: false });
});
