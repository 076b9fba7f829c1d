import type { Schemas } from "@/api/client";
import { useNarrow } from "@/pages/table/narrow";
import styles from "@/pages/table/table.module.css";
import { Text } from "@/parts/Text";
import { Time, useNow } from "@/parts/Time";

/** An agent that was active within this time counts as present. */
const HERE = 120_000;
const SHOWN = 8;

export type TableView = Schemas["TableView"];

/** Everybody who did something in the session, the most recently active first. On a phone they are folded into one
 * line. */
export function Participants({ session }: { session: TableView }) {
  const now = useNow();
  const narrow = useNarrow();
  if (session.agents.length === 0) return null;
  const here = (at: string) => session.status === "active" && now - Date.parse(at) < HERE;
  if (!narrow) return <ParticipantList session={session} here={here} />;
  return (
    <details className={styles.fold}>
      <summary>
        <Dot here={session.agents.some((participant) => here(participant.last_active_at))} />
        <span className="clip">
          {session.agent_count} at the table:{" "}
          {session.agents.slice(0, SHOWN).map(({ agent }, place) => (
            <span key={agent}>
              {place > 0 && ", "}
              <Text>{agent}</Text>
            </span>
          ))}
        </span>
      </summary>
      <ParticipantList session={session} here={here} />
    </details>
  );
}

function ParticipantList({ session, here }: { session: TableView; here: (at: string) => boolean }) {
  const shown = session.agents.slice(0, SHOWN);
  const left = session.agent_count - shown.length;
  return (
    <ul className={`plain-list ${styles.participants}`} aria-label="Who is at the table">
      {shown.map(({ agent, last_active_at }) => (
        <li key={agent} className={styles.participant}>
          <Dot here={here(last_active_at)} />
          <strong>
            <Text>{agent}</Text>
          </strong>
          <span className="soft">
            {here(last_active_at) && <span className="hidden-but-read">here now, active </span>}
            <Time at={last_active_at} />
          </span>
        </li>
      ))}
      {left > 0 && <li className="soft">and {left} more</li>}
    </ul>
  );
}

function Dot({ here }: { here: boolean }) {
  return <span className={styles.dot} data-here={here || undefined} aria-hidden="true" />;
}
