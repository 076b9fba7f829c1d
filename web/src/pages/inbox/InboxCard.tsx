import { type ReactNode, useEffect, useRef } from "react";
import { usePurpose } from "@/pages/inbox/data";
import styles from "@/pages/inbox/inbox.module.css";
import type { Outcome, ShownItem } from "@/pages/inbox/linger";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Notice } from "@/parts/Notice";
import { SessionLink } from "@/parts/SessionLink";
import { Time } from "@/parts/Time";

export interface CardProps {
  shown: ShownItem;
  outcome: Outcome | undefined;
  settle: (id: string, outcome: Outcome) => void;
  drop: (id: string) => void;
}

interface CardParts {
  icon: ReactNode;
  kind: string;
  badges?: ReactNode;
  title: ReactNode;
  about: ReactNode;
  /** What one decides by. */
  children?: ReactNode;
  /** How one decides. Not shown any more when it is decided. */
  controls: ReactNode;
}

/** One decision with everything that is needed to make it. */
export function InboxCard({ shown, outcome, drop, ...parts }: CardProps & CardParts) {
  const { item, gone } = shown;
  const head = `inbox-${item.id}`;
  const done = gone || outcome !== undefined;
  return (
    <article
      className={`card ${styles.card}`}
      aria-labelledby={head}
      data-card={item.id}
      data-done={done || undefined}
      data-blocking={(item.blocking && !done) || undefined}
    >
      <header className={styles.head}>
        <div className={styles.kind}>
          {parts.icon}
          <span>{parts.kind}</span>
          {item.blocking && !done && <Badge tone="mark">Blocking</Badge>}
          {parts.badges}
          <span className={styles.when}>
            <Time at={item.at} />
          </span>
        </div>
        <h2 id={head} tabIndex={-1} data-card-head className={styles.title}>
          {parts.title}
        </h2>
        <p className="soft small">{parts.about}</p>
        {item.ends && !done && (
          <p className="soft small">
            Expires <Time at={item.ends} />
          </p>
        )}
      </header>
      <div className={styles.body}>
        {parts.children}
        {done ? <Ending outcome={outcome} drop={() => drop(item.id)} /> : parts.controls}
      </div>
    </article>
  );
}

function Ending({ outcome, drop }: { outcome: Outcome | undefined; drop: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // What had the focus is gone; the next Tab is to start from here and not from the top of the page.
    if (document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={box} tabIndex={-1} className={styles.ending}>
      <Notice tone={outcome?.tone === "good" ? "good" : "warn"}>
        <span className={styles.said}>
          {outcome?.text ?? "This waits no longer: somebody else decided it, it was withdrawn, or its time ran out."}
        </span>
        {outcome?.tone !== "good" && (
          <div>
            <Button onClick={drop}>Take it off the list</Button>
          </div>
        )}
      </Notice>
    </div>
  );
}

/** Looks the purpose of the session up where it is not known. */
export function SessionByPurpose({ id, purpose }: { id: string; purpose?: string }) {
  return <SessionLink id={id} purpose={usePurpose(id, purpose)} />;
}
