import { Inbox as Icon } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { ApprovalCard } from "@/pages/inbox/ApprovalCard";
import { useInboxKeys, useSteadyCards } from "@/pages/inbox/cards";
import { type Item, useInbox } from "@/pages/inbox/data";
import type { CardProps } from "@/pages/inbox/InboxCard";
import styles from "@/pages/inbox/inbox.module.css";
import { type Kind, kindsOf } from "@/pages/inbox/kinds";
import { type ShownItem, useLingering } from "@/pages/inbox/linger";
import { QuestionCard } from "@/pages/inbox/QuestionCard";
import { RecentDecisions } from "@/pages/inbox/RecentDecisions";
import { ToolCard } from "@/pages/inbox/ToolCard";
import { Button } from "@/parts/Button";
import { Choice } from "@/parts/Choice";
import { Empty, Loading, Problem } from "@/parts/Notice";
import { PageHead } from "@/shell/PageHead";

export default function Inbox() {
  const inbox = useInbox();
  return (
    <div className={`page ${styles.page}`}>
      <PageHead
        title="Inbox"
        about="What waits for a person: questions of agents, calls that need a word, changed tools."
      />
      {inbox.error && <Problem of={inbox.error} again={inbox.again} />}
      <p className="hidden-but-read" role="status">
        {inbox.loading ? "" : waiting(inbox.items.length)}
      </p>
      {inbox.loading && inbox.items.length === 0 ? (
        <Loading what="the inbox" />
      ) : (
        <Decisions items={inbox.items} failed={inbox.error !== undefined} />
      )}
      <RecentDecisions />
    </div>
  );
}

function waiting(count: number): string {
  if (count === 0) return "Nothing waits for you";
  return count === 1 ? "1 decision waits" : `${count} decisions wait`;
}

/** So many cards at once: a page of hundreds would be slow, and nobody decides hundreds at a glance. */
const AT_ONCE = 30;

function Decisions({ items, failed }: { items: Item[]; failed: boolean }) {
  const { shown, ...doings } = useLingering(items);
  const [wanted, setWanted] = useState<Kind>("all");
  const [most, setMost] = useState(AT_ONCE);
  useInboxKeys();
  const kinds = kindsOf(items);
  const kind = kinds.some(({ id }) => id === wanted) ? wanted : "all";
  const listed = shown.filter(({ item }) => kind === "all" || item.kind === kind);
  if (shown.length === 0) return failed ? null : <EmptyInbox />;
  return (
    <div className="stack">
      {kinds.length > 2 && <Choice label="Show" options={kinds} chosen={kind} choose={setWanted} />}
      <Cards shown={listed.slice(0, most)} {...doings} />
      {listed.length > most && (
        <div>
          <Button data-more onClick={() => setMost(most + AT_ONCE)}>
            Show more ({listed.length - most})
          </Button>
        </div>
      )}
    </div>
  );
}

type Doings = Omit<ReturnType<typeof useLingering>, "shown">;

function Cards({ shown, outcomes, settle, drop }: { shown: ShownItem[] } & Doings) {
  const ids = useMemo(() => shown.map(({ item }) => item.id), [shown]);
  const list = useSteadyCards(ids);
  return (
    <ul ref={list} className={`plain-list ${styles.list}`} aria-label="Open decisions">
      {shown.map((one) => (
        <li key={one.item.id}>
          <ItemCard shown={one} outcome={outcomes.get(one.item.id)} settle={settle} drop={drop} />
        </li>
      ))}
    </ul>
  );
}

function ItemCard(card: CardProps) {
  const { item } = card.shown;
  if (item.kind === "question") return <QuestionCard {...card} question={item.question} />;
  if (item.kind === "approval") return <ApprovalCard {...card} decision={item.decision} />;
  return <ToolCard {...card} pin={item.pin} />;
}

function EmptyInbox() {
  return (
    <Empty icon={<Icon size={28} aria-hidden="true" />} title="Nothing waits for you">
      <p>
        Questions appear here as soon as an agent asks one with <code>add_question</code>, and calls that need your word
        before the gateway makes them. The title of this page counts them, so you can leave it open in a tab.
      </p>
      <p>
        No agents yet? <Link href="/connect">Connect one</Link>, or watch a scripted team with{" "}
        <code>longtable demo</code>.
      </p>
    </Empty>
  );
}
