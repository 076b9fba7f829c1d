import { MessageCircleQuestion, ShieldQuestion, Wrench } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import type { Item } from "@/pages/inbox/data";
import { addressOf } from "@/pages/inbox/filters";
import type { Outcome, ShownItem } from "@/pages/inbox/linger";
import styles from "@/pages/inbox/list.module.css";
import type { InboxPlace } from "@/pages/inbox/place";
import { useSnoozed } from "@/pages/inbox/snoozing";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

/** So many at once: a page of hundreds would be slow, and nobody decides hundreds at a glance. */
const AT_ONCE = 50;

interface Props {
  listed: ShownItem[];
  outcomes: ReadonlyMap<string, Outcome>;
  place: InboxPlace;
}

export function InboxList({ listed, outcomes, place }: Props) {
  const [most, setMost] = useState(AT_ONCE);
  return (
    <>
      <ul className={`plain-list ${styles.list}`} aria-label="Open decisions">
        {listed.slice(0, most).map(({ item, gone }) => (
          <li key={item.id}>
            <InboxRow item={item} outcome={outcomes.get(item.id)} gone={gone} place={place} />
          </li>
        ))}
      </ul>
      {listed.length > most && (
        <div>
          <Button data-more onClick={() => setMost(most + AT_ONCE)}>
            Show more ({listed.length - most})
          </Button>
        </div>
      )}
    </>
  );
}

const KINDS = {
  question: { icon: MessageCircleQuestion, word: "Question" },
  approval: { icon: ShieldQuestion, word: "Approval" },
  tool: { icon: Wrench, word: "Tool" },
};

interface InboxRowProps {
  item: Item;
  outcome: Outcome | undefined;
  gone: boolean;
  place: InboxPlace;
}

function InboxRow({ item, outcome, gone, place }: InboxRowProps) {
  const { icon: Icon, word } = KINDS[item.kind];
  const { title, about } = wordsOf(item);
  const back = useSnoozed().get(item.id);
  const done = gone || outcome !== undefined;
  return (
    <Link
      href={`${addressOf(item)}${place.search}`}
      className={styles.row}
      aria-current={item.id === place.open ? "true" : undefined}
      data-blocking={(item.blocking && !done) || undefined}
      data-done={done || undefined}
    >
      <span className={styles.kind}>
        <Icon size={15} aria-hidden="true" />
        <span>{word}</span>
        {!done && item.blocking && <Badge tone="mark">Blocking</Badge>}
        {!done && item.priority === "high" && <Badge tone="warn">High</Badge>}
        <span className={styles.when}>
          <Time at={item.at} />
        </span>
      </span>
      <strong className={styles.rowTitle}>
        <Text>{title}</Text>
      </strong>
      <span className={styles.rowAbout}>
        {done ? (outcome?.text ?? "Waits no longer") : <Text>{about}</Text>}
        {back !== undefined && (
          <>
            {" · back "}
            <Time at={new Date(back).toISOString()} />
          </>
        )}
      </span>
    </Link>
  );
}

export function wordsOf(item: Item): { title: string; about: string } {
  if (item.kind === "question") {
    const { question, asked_by, purpose } = item.question;
    return { title: question, about: purpose ? `${asked_by} · ${purpose}` : asked_by };
  }
  if (item.kind === "approval") {
    const { identity, requested_by, upstream } = item.decision;
    return { title: `May ${requested_by} call ${identity}?`, about: `A tool of ${upstream}` };
  }
  const { tool, upstream, reason } = item.pin;
  return { title: `${reason === "changed" ? "Changed" : "New"}: ${tool}`, about: `A tool of ${upstream}` };
}
