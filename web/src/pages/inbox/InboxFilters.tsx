import { useMemo } from "react";
import type { Item } from "@/pages/inbox/data";
import { kindsOf, sessionOf } from "@/pages/inbox/filters";
import styles from "@/pages/inbox/list.module.css";
import type { InboxPlace } from "@/pages/inbox/place";
import { useSnoozed } from "@/pages/inbox/snoozing";
import { Choice } from "@/parts/Choice";

/** A handful is seen at a glance. */
const MANY = 5;

export function InboxFilters({ items, place: { filter, choose } }: { items: Item[]; place: InboxPlace }) {
  const kinds = kindsOf(items, useSnoozed());
  const sessions = useMemo(() => sessionsIn(items), [items]);
  const searched = items.length > MANY || filter.text !== "";
  return (
    <search className={styles.filters}>
      {(kinds.length > 2 || filter.kind !== "all" || kinds.some(({ id }) => id === "snoozed")) && (
        <Choice label="Show" options={kinds} chosen={filter.kind} choose={(kind) => choose({ ...filter, kind })} />
      )}
      {(sessions.size > 1 || filter.session) && (
        <select
          aria-label="Session"
          value={filter.session}
          onChange={(event) => choose({ ...filter, session: event.target.value })}
        >
          <option value="">Every session</option>
          {[...sessions].map(([id, purpose]) => (
            <option key={id} value={id}>
              {purpose || id}
            </option>
          ))}
        </select>
      )}
      {searched && (
        <input
          type="search"
          data-search
          aria-label="Filter the inbox"
          placeholder="Filter by words"
          value={filter.text}
          onChange={(event) => choose({ ...filter, text: event.target.value })}
        />
      )}
    </search>
  );
}

/** The sessions that something waits in, with what they are for where it is known. */
function sessionsIn(items: Item[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const item of items) {
    const id = sessionOf(item);
    const purpose = item.kind === "question" ? item.question.purpose : "";
    if (id) found.set(id, found.get(id) || purpose);
  }
  return found;
}
