import { wordOf } from "@/pages/gateway/words";

/** A rule while somebody writes it: every field as text. */
export interface RuleDraft {
  key: number;
  match: string;
  agents: string;
  roles: string;
  tenants: string;
  sessions: string;
  layer: string;
  confirm: string;
  rate: string;
  when: string;
  reason: string;
}

export type RuleField = Exclude<keyof RuleDraft, "key">;
export type RuleProblems = Partial<Record<RuleField, string>>;
export type Rule = Record<string, unknown>;

/** Whom a rule is for: patterns with commas between them. */
export const WHO = ["agents", "roles", "tenants", "sessions"] as const;
const FIELDS: RuleField[] = ["match", ...WHO, "layer", "confirm", "rate", "when", "reason"];
const EMPTY = Object.fromEntries(FIELDS.map((field) => [field, ""])) as Record<RuleField, string>;
const RATE = /^([1-9]\d{0,8})\s*\/\s*(?:([1-9]\d{0,5})\s*)?(s|sec|second|m|min|minute|h|hour|d|day)s?$/i;
const SPANS: Record<string, string> = { "1s": "s", "60s": "min", "3600s": "hour", "86400s": "day" };
/** Rows that were written before a reload have other numbers. */
let counter = Date.now();

export function newRow(fields: Partial<RuleDraft> = {}): RuleDraft {
  counter += 1;
  return { ...EMPTY, ...fields, key: counter };
}

/** The server keeps layers and rates in one spelling; people read and write the one of the documents. */
export function rowOf(rule: Rule): RuleDraft {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return newRow({
    match: text(rule.match),
    ...Object.fromEntries(WHO.map((kind) => [kind, patternsText(rule[kind])])),
    layer: wordOf(text(rule.layer)),
    confirm: text(rule.confirm),
    rate: text(rule.rate).replace(/\d+s$/, (span) => SPANS[span] ?? span),
    when: rule.when === undefined || rule.when === null ? "" : JSON.stringify(rule.when),
    reason: text(rule.reason),
  });
}

/** What is sent. Call it only where `problemsOf` found nothing. */
export function ruleOf(row: RuleDraft): Rule {
  const rule: Rule = {};
  for (const field of FIELDS) {
    const text = row[field].trim();
    if (text) rule[field] = field === "when" ? JSON.parse(text) : isWho(field) ? patternsOf(text) : text;
  }
  return rule;
}

function isWho(field: RuleField): boolean {
  return WHO.some((kind) => kind === field);
}

/** A name may hold a comma: then the whole list is JSON. */
function patternsText(value: unknown): string {
  const patterns = Array.isArray(value) ? value.map(String) : [];
  return patterns.some((pattern) => pattern.includes(",")) ? JSON.stringify(patterns) : patterns.join(", ");
}

function patternsOf(text: string): string[] {
  try {
    const patterns: unknown = JSON.parse(text);
    if (Array.isArray(patterns)) return patterns.map(String);
  } catch {
    // Not JSON: names with commas between them.
  }
  return text
    .split(",")
    .map((pattern) => pattern.trim())
    .filter(Boolean);
}

export function problemsOf(row: RuleDraft): RuleProblems {
  const problems: RuleProblems = {};
  if (!row.match.trim()) problems.match = "Name a tool, such as files.read_file, or a pattern, such as files.*";
  if (!row.layer && !row.confirm && !row.rate.trim()) {
    problems.layer = "The rule says nothing yet: choose what happens, who is asked, or how often.";
  }
  if (row.rate.trim() && !RATE.test(row.rate.trim())) problems.rate = "Write a rate such as 60/min, 5/10s or 1000/day.";
  const when = row.when.trim() ? conditionProblem(row.when) : undefined;
  if (when) problems.when = when;
  return problems;
}

function conditionProblem(text: string): string | undefined {
  try {
    const condition: unknown = JSON.parse(text);
    if (typeof condition === "object" && condition !== null && !Array.isArray(condition)) return undefined;
    return "This must be an object: a JSON Schema for the inputs.";
  } catch (problem) {
    return `This is not JSON yet: ${problem instanceof Error ? problem.message : "unreadable"}`;
  }
}

/** Where the server found a fault: `rules[2].rate`, or the whole of `rules[2]`. */
export function placeOf(place: unknown): { index: number; field: RuleField } | undefined {
  const found = typeof place === "string" ? /^rules\[(\d+)\](?:\.(\w+))?/.exec(place) : null;
  if (!found) return undefined;
  return { index: Number(found[1]), field: FIELDS.find((field) => field === found[2]) ?? "match" };
}

/** The words of the server without the place, which is where they are shown. */
export function withoutPlace(message: string): string {
  const words = message.replace(/^rules\[\d+\][^:]*:\s*/, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One rule on a line of its own, so that a comparison shows rules and not brackets. */
export function written(rows: RuleDraft[]): string {
  return rows.map((row) => JSON.stringify(safeRule(row), null, 1).replace(/\n\s*/g, " ")).join("\n");
}

function safeRule(row: RuleDraft): Rule {
  return problemsOf(row).when ? { ...ruleOf({ ...row, when: "" }), when: row.when } : ruleOf(row);
}

export function sameRules(one: Rule[], other: Rule[]): boolean {
  return written(one.map(rowOf)) === written(other.map(rowOf));
}

/** As the server matches: `*` for anything, `?` for one character, `[abc]` and `[!abc]` for one of a set. */
export function matcher(pattern: string): (identity: string) => boolean {
  const source = pattern.replace(
    /\*+|\?|\[(!?)(\]?[^\]]*)\]|[\s\S]/g,
    (piece: string, not: string | undefined, set: string | undefined) => {
      if (piece.startsWith("*")) return "[\\s\\S]*";
      if (piece === "?") return "[\\s\\S]";
      if (set) return `[${not ? "^" : ""}${set.replace(/[\\\]^]/g, "\\$&")}]`;
      return piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    },
  );
  try {
    const whole = new RegExp(`^${source}$`);
    return (identity) => whole.test(identity);
  } catch {
    return () => false;
  }
}
