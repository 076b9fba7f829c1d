import { useId } from "react";
import styles from "@/pages/audit/audit.module.css";
import { type Filters, isFiltered, NO_FILTERS } from "@/pages/audit/filters";
import { Button } from "@/parts/Button";

const OUTCOMES = [
  "SUCCESS",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "CONFLICT",
  "VERSION_CONFLICT",
  "CONFIRMATION_REQUIRED",
  "CONFIRMATION_DENIED",
  "CONFIRMATION_INVALID",
  "TOOL_QUARANTINED",
  "RATE_LIMITED",
  "UPSTREAM_ERROR",
];

export function AuditFilters({
  filters,
  change,
  types,
}: {
  filters: Filters;
  change: (filters: Filters) => void;
  types: string[];
}) {
  const list = useId();
  const field = (name: keyof Filters) => ({
    value: filters[name],
    onChange: (event: { target: { value: string } }) => change({ ...filters, [name]: event.target.value }),
  });
  return (
    <search className={styles.filters} aria-label="Filter the log">
      <label>
        What
        <input type="search" data-search list={`${list}-types`} placeholder="note_added" {...field("event_type")} />
        <datalist id={`${list}-types`}>
          {types.map((type) => (
            <option key={type} value={type} />
          ))}
        </datalist>
      </label>
      <label>
        Who
        <input type="search" placeholder="planner" {...field("agent_id")} />
      </label>
      <label>
        Session
        <input type="search" placeholder="any" {...field("session_id")} />
      </label>
      <label>
        Outcome
        <input type="search" list={`${list}-outcomes`} placeholder="any" {...field("outcome")} />
        <datalist id={`${list}-outcomes`}>
          {OUTCOMES.map((outcome) => (
            <option key={outcome} value={outcome} />
          ))}
        </datalist>
      </label>
      <label className={styles.moment}>
        From
        <input type="datetime-local" {...field("since")} />
      </label>
      <label className={styles.moment}>
        Until
        <input type="datetime-local" {...field("until")} />
      </label>
      {isFiltered(filters) && (
        <Button kind="quiet" onClick={() => change(NO_FILTERS)}>
          Clear the filters
        </Button>
      )}
    </search>
  );
}
