import type { Schemas } from "@/api/client";
import type { Severity } from "@/pages/notebooks/lines";

export type Result = Schemas["ValidationResult"];
export type Finding = Schemas["Diagnostic"] & { tone: Severity };

export type State =
  | { is: "unchecked" }
  | { is: "nothing"; why: string }
  | { is: "valid" }
  | { is: "warnings"; words: string }
  | { is: "errors"; words: string };

/** In the order of the text; of two at one place the error first. */
export function findingsOf(result: Result | undefined): Finding[] {
  if (!result) return [];
  const all: Finding[] = [
    ...result.errors.map((one): Finding => ({ ...one, tone: "error" })),
    ...result.warnings.map((one): Finding => ({ ...one, tone: "warning" })),
  ];
  return all.sort((a, b) => a.line - b.line || a.column - b.column);
}

export function stateOf(result: Result | undefined): State {
  if (!result) return { is: "unchecked" };
  const errors = result.errors.length;
  const warnings = result.warnings.length;
  if (errors > 0) return { is: "errors", words: listed([counted(errors, "error"), counted(warnings, "warning")]) };
  if (warnings > 0) return { is: "warnings", words: counted(warnings, "warning") };
  const checked = result.details.syntax.checked || result.details.schema.checked;
  return checked ? { is: "valid" } : { is: "nothing", why: result.details.reason ?? "Nothing is checked here." };
}

export function counted(count: number, thing: string): string {
  if (count === 0) return "";
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

function listed(parts: string[]): string {
  return parts.filter(Boolean).join(", ");
}

/** "4 of 5 cells are fine", and what is wrong with the others. */
export function summaryOf(results: Result[]): string {
  if (results.length === 0) return "There are no cells to check.";
  const fine = results.filter((result) => result.valid).length;
  const errors = results.reduce((sum, result) => sum + result.errors.length, 0);
  const warnings = results.reduce((sum, result) => sum + result.warnings.length, 0);
  const found = listed([counted(errors, "error"), counted(warnings, "warning")]);
  return `${fineWords(fine, results.length)}${found ? ` Found: ${found}.` : ""}`;
}

function fineWords(fine: number, all: number): string {
  if (all === 1) return fine === 1 ? "The cell is fine." : "The cell is not fine.";
  if (fine === all) return `All ${all.toLocaleString("en")} cells are fine.`;
  return `${fine.toLocaleString("en")} of ${all.toLocaleString("en")} cells are fine.`;
}

export function placeOfFinding(finding: Finding): string {
  return `line ${finding.line.toLocaleString("en")}, column ${finding.column.toLocaleString("en")}`;
}

/** Findings by line, where a line past the end counts as the last. */
export function byLine(findings: Finding[], lines: number): Map<number, Finding[]> {
  const found = new Map<number, Finding[]>();
  for (const finding of findings) {
    const line = Math.min(Math.max(1, finding.line), Math.max(1, lines));
    found.set(line, [...(found.get(line) ?? []), finding]);
  }
  return found;
}
