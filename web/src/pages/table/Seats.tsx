import type { Schemas } from "@/api/client";
import styles from "@/pages/table/table.module.css";
import { Text } from "@/parts/Text";
import { Time, useNow } from "@/parts/Time";

/** Whoever did something within this time sits at the table. */
const HERE = 120_000;
const SHOWN = 8;

/** Who is at the table: everybody who did something here, the most recently active first. */
export function Seats({ session }: { session: Schemas["TableView"] }) {
  const now = useNow();
  if (session.agents.length === 0) return null;
  const shown = session.agents.slice(0, SHOWN);
  const left = session.agent_count - shown.length;
  return (
    <ul className={`plain-list ${styles.seats}`} aria-label="Who is at the table">
      {shown.map(({ agent, last_active_at }) => {
        const here = session.status === "active" && now - Date.parse(last_active_at) < HERE;
        return (
          <li key={agent} className={styles.seat}>
            <span className={styles.dot} data-here={here || undefined} aria-hidden="true" />
            <strong>
              <Text>{agent}</Text>
            </strong>
            <span className="soft">
              {here && <span className="hidden-but-read">here now, active </span>}
              <Time at={last_active_at} />
            </span>
          </li>
        );
      })}
      {left > 0 && <li className="soft">and {left} more</li>}
    </ul>
  );
}
