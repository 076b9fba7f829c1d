import type { TokenRequest } from "@/pages/connect/data";

export type Role = TokenRequest["role"];

export interface TokenFields {
  role: Role;
  agent: string;
  session_id: string;
  name: string;
  expires_in: string;
}

export const EMPTY: TokenFields = { role: "agent", agent: "", session_id: "", name: "", expires_in: "30d" };

export const ROLES: [Role, string][] = [
  ["agent", "Works in one session, under one name."],
  ["orchestrator", "Creates and closes sessions, acts in all of them, and may speak for agents."],
  ["human", "A person: reads everything, answers, approves. Signs in to this console."],
  ["owner", "A person who may do everything, tokens and rules included."],
  ["reader", "Reads, and changes nothing."],
];

export const LIFETIMES: [string, string][] = [
  ["24h", "In a day"],
  ["7d", "In a week"],
  ["30d", "In 30 days"],
  ["90d", "In 90 days"],
  ["365d", "In a year"],
  ["", "Never"],
];

/** Why the token cannot be created yet, or undefined. */
export function problemOf(fields: TokenFields): string | undefined {
  if (fields.role !== "agent") return undefined;
  if (!fields.agent.trim()) return "Give the agent a name: what it does appears under it.";
  return fields.session_id ? undefined : "Choose the session that it may work in.";
}

/** Only the fields of the role: what was typed for another role is left out. */
export function tokenRequestOf({ role, agent, session_id, name, expires_in }: TokenFields): TokenRequest {
  const request: TokenRequest = { role };
  if (role === "agent") Object.assign(request, { agent: agent.trim(), session_id });
  if (name.trim()) request.name = name.trim();
  if (expires_in) request.expires_in = expires_in;
  return request;
}
