import type { Schemas } from "@/api/client";
import type { Tone } from "@/parts/Badge";

/** The layers as people meet them: what happens to a call, and the word for it in names and rules. */
export const LAYERS = [
  { layer: "governed", word: "run", title: "Asks a person first", about: "It changes something, or may." },
  { layer: "primitive", word: "tool", title: "Runs at once", about: "It only reads, or a rule trusts it." },
  {
    layer: "macro",
    word: "playbook",
    title: "Playbooks",
    about: "Several steps under one name, each under the rules.",
  },
  { layer: "internal", word: "deny", title: "Not offered", about: "Nobody can call it, and it is in no list." },
] as const;

/** `primitive` and the others, as the documents and the names of tools have them. */
export function wordOf(layer: string): string {
  return LAYERS.find((known) => known.layer === layer)?.word ?? layer;
}

export function titleOfLayer(layer: string | null): string {
  return LAYERS.find((known) => known.layer === layer || known.word === layer)?.title ?? layer ?? "";
}

const CONFIRMS: Record<string, string> = {
  none: "Nobody is asked",
  human: "A person here",
  client: "The user of the client",
};

export function whoConfirms(confirm: string): string {
  return CONFIRMS[confirm] ?? confirm;
}

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function exact(timestamp: string): string {
  return EXACT.format(Date.parse(timestamp));
}

/** What became of a decision, and by whom. */
export function decisionInWords(decision: Schemas["DecisionView"]): string {
  const { id, status, decided_by, decided_at, reason } = decision;
  if (!decided_by || !decided_at) return `${id}: ${status === "waiting" ? "waits for a person" : status}`;
  const verb = status === "denied" ? "denied" : "approved";
  return `${id}: ${verb} by ${decided_by}, ${exact(decided_at)}${reason ? `: ${reason}` : ""}`;
}

interface Label {
  text: string;
  tone: Tone;
}

const HEALTH: Record<string, Label> = {
  ready: { text: "Ready", tone: "good" },
  idle: { text: "Not started yet", tone: "plain" },
  starting: { text: "Starting", tone: "calm" },
  failing: { text: "Failing", tone: "bad" },
  open: { text: "Paused after failures", tone: "bad" },
  stopped: { text: "Stopped", tone: "warn" },
};

export function healthOf(upstream: { on: boolean; health: string }): Label {
  if (!upstream.on) return { text: "Switched off", tone: "warn" };
  return HEALTH[upstream.health] ?? { text: upstream.health, tone: "plain" };
}

const KINDS: Record<Schemas["UpstreamView"]["kind"], string> = {
  stdio: "MCP server, a process of this machine",
  http: "MCP server over HTTP",
  sse: "MCP server over SSE",
  openapi: "OpenAPI document",
  mindscape: "Mindscape backend",
  playbooks: "Playbooks of this server",
};

export function kindOf(kind: Schemas["UpstreamView"]["kind"]): string {
  return KINDS[kind];
}

const SCOPES: Record<string, string> = {
  shared: "One for everybody",
  tenant: "One for each team",
  session: "One for each session",
};

export function scopeOf(scope: string): string {
  return SCOPES[scope] ?? sentence(scope);
}

const OUTCOMES: Record<string, Label> = {
  SUCCESS: { text: "Done", tone: "good" },
  CONFIRMATION_REQUIRED: { text: "Asked a person", tone: "calm" },
  CONFIRMATION_DENIED: { text: "Denied", tone: "warn" },
  CONFIRMATION_INVALID: { text: "Without a valid approval", tone: "warn" },
  TOOL_QUARANTINED: { text: "Held back", tone: "warn" },
  RATE_LIMITED: { text: "Too often", tone: "warn" },
  INVALID_ARGUMENT: { text: "Wrong inputs", tone: "warn" },
  NOT_FOUND: { text: "No such tool", tone: "warn" },
  FORBIDDEN: { text: "Forbidden", tone: "warn" },
  UPSTREAM_ERROR: { text: "The upstream failed", tone: "bad" },
  UPSTREAM_TIMEOUT: { text: "Took too long", tone: "bad" },
};

export function outcomeOf(code: string): Label {
  return OUTCOMES[code] ?? { text: sentence(code), tone: "bad" };
}

/** `STORE_UNAVAILABLE` as people write it. */
export function sentence(code: string): string {
  const words = code.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function bytes(size: number): string {
  for (const [unit, length] of [
    ["GiB", 1024 ** 3],
    ["MiB", 1024 ** 2],
    ["KiB", 1024],
  ] as const) {
    if (size >= length) return `${Number((size / length).toFixed(1))} ${unit}`;
  }
  return `${size} bytes`;
}

export function duration(milliseconds: number | null): string {
  if (milliseconds === null) return "";
  if (milliseconds < 1) return "under 1 ms";
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  return `${Number((milliseconds / 1_000).toFixed(1))} s`;
}

const SPANS: Record<number, string> = { 1: "second", 60: "minute", 3600: "hour", 86400: "day" };

export function rate({ calls, per_seconds }: Schemas["RateView"]): string {
  const span = SPANS[per_seconds];
  return span ? `${calls} a ${span}` : `${calls} in ${per_seconds} s`;
}

export function limitsOf(limits: Schemas["UpstreamLimits"]): [string, string][] {
  const all: [string, string | null][] = [
    ["A call may take", limits.timeout_seconds === null ? null : `${limits.timeout_seconds} s`],
    ["Calls at a time", limits.max_concurrency === null ? null : String(limits.max_concurrency)],
    ["Answer up to", limits.max_response_bytes === null ? null : bytes(limits.max_response_bytes)],
    ["Memory up to", limits.memory_bytes === null ? null : bytes(limits.memory_bytes)],
    ["One tool, one caller", rate(limits.tool_rate)],
    ["One caller", limits.caller_rate && rate(limits.caller_rate)],
    ["The whole team", limits.tenant_rate && rate(limits.tenant_rate)],
  ];
  return all.filter((limit): limit is [string, string] => limit[1] !== null);
}

const SUSPICIONS: Record<string, string> = {
  hidden_characters: "Invisible characters",
  aimed_at_model: "Text that is aimed at the model",
  names_other_tool: "It speaks of another tool",
};

export function suspicionOf(kind: string | undefined): string {
  return SUSPICIONS[kind ?? ""] ?? sentence(kind ?? "something odd");
}
