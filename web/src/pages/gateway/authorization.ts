import type { Upstream } from "@/pages/gateway/data";
import type { Tone } from "@/parts/Badge";

type ShownAuthorization = { state: string; tone: Tone; detail: string; isConnected: boolean };

/** Null for an upstream that wants none. */
export function authorizationOf(upstream: Upstream): ShownAuthorization | null {
  const authorization = upstream.authorization;
  if (!authorization) return null;
  const isConnected = authorization.state === "connected";
  const by = authorization.connected_by ? `by ${authorization.connected_by}` : "";
  const at = authorization.issuer ? `at ${authorization.issuer}` : "";
  const detail = isConnected ? [by, at].filter(Boolean).join(" ") : (authorization.problem ?? "");
  return { state: authorization.state, tone: isConnected ? "good" : "warn", detail, isConnected };
}
