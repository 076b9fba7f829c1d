import { useCallback } from "react";
import { useLocation, useRoute, useSearch } from "wouter";
import type { Section } from "@/pages/table/manuscript/data";
import type { Against } from "@/pages/table/manuscript/text";

/** A version of a section, and what it is compared with. */
export interface VersionPlace {
  version: number;
  against: Against | undefined;
}

/** `/sessions/ID/draft/SECTION?version=3&against=previous` shows a version, or two of them side by side. */
export function versionAddress(id: string, section: string, { version, against }: VersionPlace): string {
  const path = `/sessions/${encodeURIComponent(id)}/draft/${encodeURIComponent(section)}`;
  return `${path}?version=${version}${against ? `&against=${against}` : ""}`;
}

export function placeIn(search: string, last: number): VersionPlace | undefined {
  const address = new URLSearchParams(search);
  const version = Number(address.get("version"));
  if (!Number.isInteger(version) || version < 1 || version > last) return undefined;
  const against = address.get("against");
  return { version, against: against === "previous" || against === "current" ? against : undefined };
}

/** What the address wants to be shown of this section when the page opens. */
export function useBeginning(section: Section) {
  const [, params] = useRoute("/sessions/:id/draft/:section");
  const place = placeIn(useSearch(), section.version);
  if (params?.section !== section.section_id || !place) return undefined;
  const { version, against } = place;
  return { is: "history" as const, version, changes: against !== undefined, ...(against && { against }) };
}

/** Keeps the address in step with what is looked at. */
export function useVersionAddress(id: string, section: string) {
  const [, go] = useLocation();
  const show = useCallback(
    (place: VersionPlace) => go(versionAddress(id, section, place), { replace: true }),
    [go, id, section],
  );
  const leave = useCallback(
    () => go(`/sessions/${encodeURIComponent(id)}/draft/${encodeURIComponent(section)}`, { replace: true }),
    [go, id, section],
  );
  return { show, leave };
}
