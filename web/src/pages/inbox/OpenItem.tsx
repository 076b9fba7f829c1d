import { Link } from "wouter";
import { ApprovalCard } from "@/pages/inbox/ApprovalCard";
import type { Item } from "@/pages/inbox/data";
import { addressOf } from "@/pages/inbox/filters";
import type { CardProps } from "@/pages/inbox/InboxCard";
import type { Outcome, ShownItem } from "@/pages/inbox/linger";
import { type InboxPlace, idAt } from "@/pages/inbox/place";
import { QuestionCard } from "@/pages/inbox/QuestionCard";
import { ToolCard } from "@/pages/inbox/ToolCard";
import { Empty } from "@/parts/Notice";

type Props = Pick<CardProps, "settle" | "drop" | "undone"> & {
  shown: ShownItem;
  outcomes: ReadonlyMap<string, Outcome>;
  next: Item | undefined;
  place: InboxPlace;
};

/** The item that is open, with everything that is needed to decide it. */
export function OpenItem({ shown, outcomes, next, place, ...doings }: Props) {
  const onward = next ? (
    <Link href={`${addressOf(next)}${place.search}`} className="button">
      Next
    </Link>
  ) : (
    !place.wide && (
      <Link href={`/inbox${place.search}`} className="button">
        Back to the inbox
      </Link>
    )
  );
  return <ItemCard shown={shown} outcome={outcomes.get(shown.item.id)} next={onward || null} {...doings} />;
}

function ItemCard(card: CardProps) {
  const { item } = card.shown;
  if (item.kind === "question") return <QuestionCard {...card} question={item.question} />;
  if (item.kind === "approval") return <ApprovalCard {...card} decision={item.decision} />;
  return <ToolCard {...card} pin={item.pin} />;
}

/** An address of something that was decided: it leads to what became of it. */
export function NotWaiting({ path }: { path: string }) {
  const kind = path.split("/")[2];
  const id = idAt(path) ?? "";
  const [session = "", question = ""] = id.split("/");
  const there =
    kind === "question"
      ? `/sessions/${encodeURIComponent(session)}/questions/${encodeURIComponent(question)}`
      : `/decisions/${encodeURIComponent(id)}`;
  return (
    <Empty title="This waits no longer">
      <p>It was decided, withdrawn, or its time ran out.</p>
      {kind !== "tool" && <Link href={there}>See what became of it</Link>}
    </Empty>
  );
}
