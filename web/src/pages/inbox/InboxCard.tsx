import { Ellipsis } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { type Item, usePurpose } from "@/pages/inbox/data";
import { useCountdown, useUndo } from "@/pages/inbox/holding";
import styles from "@/pages/inbox/inbox.module.css";
import type { Outcome, ShownItem } from "@/pages/inbox/linger";
import { snoozeChoices, useSnoozed, useSnoozing } from "@/pages/inbox/snoozing";
import { CopyItem, linkTo, Menu, MenuItem } from "@/pages/table/Menu";
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
  undone: (id: string) => void;
  /** The way to what comes next, once this is decided. */
  next?: ReactNode;
}

interface CardParts {
  icon: ReactNode;
  kind: string;
  /** Its own address. */
  address: string;
  badges?: ReactNode;
  title: ReactNode;
  about: ReactNode;
  /** What one decides by. */
  children?: ReactNode;
  /** How one decides. Not shown any more when it is decided. */
  controls: ReactNode;
}

/** One decision with everything that is needed to make it. */
export function InboxCard(card: CardProps & CardParts) {
  const { shown, outcome, ...parts } = card;
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
          <div className={styles.when}>
            <Time at={item.at} />
            <Menu
              small
              label={`Actions for ${parts.kind.toLowerCase()} ${item.id}`}
              title={<Ellipsis size={16} aria-hidden="true" />}
            >
              <CopyItem text={linkTo(parts.address)}>Copy link</CopyItem>
              {!done && <SnoozeItems item={item} />}
            </Menu>
          </div>
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
        {done ? <Ending {...card} /> : parts.controls}
      </div>
    </article>
  );
}

/** Puts it off: it leaves the list, stays counted, and comes back by itself. */
function SnoozeItems({ item }: { item: Item }) {
  const { snooze, wake } = useSnoozing();
  const snoozed = useSnoozed().has(item.id);
  if (snoozed) return <MenuItem act={() => wake(item.id)}>Back to the inbox now</MenuItem>;
  const choices = snoozeChoices(Date.now(), item.ends);
  return (
    <>
      {choices.map(({ title, until }) => (
        <MenuItem key={title} act={() => snooze(item.id, until)}>
          {title}
        </MenuItem>
      ))}
      {choices.length > 0 && (
        <p className="soft small">In this browser only: elsewhere, and for others, it stays in the list.</p>
      )}
    </>
  );
}

const OVER = "This waits no longer: it was decided, withdrawn, or its time ran out.";

function Ending({ shown, outcome, settle, undone, drop, next }: CardProps) {
  const { id } = shown.item;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // What had the focus is gone; the next Tab is to start from here and not from the top of the page.
    if (document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={box} tabIndex={-1} className={styles.ending}>
      <Notice tone={outcome && outcome.tone !== "late" ? "good" : "warn"}>
        <span className={styles.said}>{outcome?.text ?? OVER}</span>
        <div className="row">
          {outcome?.tone === "held" && <UndoButton id={id} outcome={outcome} settle={settle} undone={undone} />}
          {next}
          {!next && outcome?.tone !== "held" && outcome?.tone !== "good" && (
            <Button onClick={() => drop(id)}>Take it off the list</Button>
          )}
        </div>
      </Notice>
    </div>
  );
}

type Held = Extract<Outcome, { tone: "held" }>;

function UndoButton({
  id,
  outcome,
  settle,
  undone,
}: { id: string; outcome: Held } & Pick<CardProps, "settle" | "undone">) {
  const undoing = useUndo({ id, settle, undone: (gone) => undone(gone) });
  const left = useCountdown(outcome.hold);
  return (
    <>
      <Button data-act="undo" busy={undoing.isPending} onClick={() => undoing.mutate(outcome.hold)}>
        Undo <span aria-hidden="true">({left} s)</span>
      </Button>
      {undoing.isError && <span className="small">It could not be undone: the server was not reached.</span>}
    </>
  );
}

/** Looks the purpose of the session up where it is not known. */
export function SessionByPurpose({ id, purpose }: { id: string; purpose?: string }) {
  return <SessionLink id={id} purpose={usePurpose(id, purpose)} />;
}
