import { ArrowLeft, Inbox as Icon } from "lucide-react";
import { useMemo } from "react";
import { Link } from "wouter";
import { type Item, useInbox } from "@/pages/inbox/data";
import { EVERYTHING, fits, isFiltered } from "@/pages/inbox/filters";
import { useHeld } from "@/pages/inbox/holding";
import { InboxFilters } from "@/pages/inbox/InboxFilters";
import { InboxList } from "@/pages/inbox/InboxList";
import styles from "@/pages/inbox/inbox.module.css";
import { useLingering } from "@/pages/inbox/linger";
import { NotWaiting, OpenItem } from "@/pages/inbox/OpenItem";
import { type InboxPlace, useFirstOpened, usePlace, useSteps } from "@/pages/inbox/place";
import { RecentDecisions } from "@/pages/inbox/RecentDecisions";
import { useSnoozed } from "@/pages/inbox/snoozing";
import { Button } from "@/parts/Button";
import { Empty, Loading, Problem } from "@/parts/Notice";
import { PageHead } from "@/shell/PageHead";

const ABOUT = "What waits for a person: questions of agents, calls that need a word, changed tools.";

/** What waits, as a list; and one of it, with everything that is needed to decide. Beside each other where there is room. */
export default function Inbox() {
  const inbox = useInbox();
  const place = usePlace();
  const alone = !place.wide && place.open !== undefined;
  return (
    <div className={`page ${styles.page}`}>
      {alone ? <Back search={place.search} count={inbox.awake.length} /> : <PageHead title="Inbox" about={ABOUT} />}
      {inbox.error && <Problem of={inbox.error} again={inbox.again} />}
      <p className="hidden-but-read" role="status">
        {inbox.loading ? "" : waiting(inbox.awake.length)}
      </p>
      {inbox.loading && inbox.items.length === 0 ? (
        <Loading what="the inbox" />
      ) : (
        <Decisions items={inbox.items} loading={inbox.loading} failed={inbox.error !== undefined} place={place} />
      )}
    </div>
  );
}

function waiting(count: number): string {
  if (count === 0) return "Nothing waits for you";
  return count === 1 ? "1 decision waits" : `${count} decisions wait`;
}

function Back({ search, count }: { search: string; count: number }) {
  return (
    <h1 className={styles.back}>
      <Link href={`/inbox${search}`}>
        <ArrowLeft size={16} aria-hidden="true" /> Inbox{count > 0 && ` (${count})`}
      </Link>
    </h1>
  );
}

interface DecisionsProps {
  items: Item[];
  loading: boolean;
  failed: boolean;
  place: InboxPlace;
}

function Decisions({ items, loading, failed, place }: DecisionsProps) {
  const { open, filter, wide } = place;
  const { shown, outcomes: own, ...doings } = useLingering(items, open);
  const held = useHeld();
  const snoozed = useSnoozed();
  const outcomes = useMemo(() => new Map([...held, ...own]), [held, own]);
  const listed = useMemo(() => shown.filter(({ item }) => fits(item, filter, snoozed)), [shown, filter, snoozed]);
  const ids = useMemo(() => listed.map(({ item }) => item), [listed]);
  const next = ids.find(
    ({ id }) => id !== open && !outcomes.has(id) && !listed.some((one) => one.gone && one.item.id === id),
  );
  useSteps(place, ids);
  // Which one is the first is known when all of them are there.
  useFirstOpened(place, loading ? undefined : next);
  const chosen = shown.find(({ item }) => item.id === open);
  if (shown.length === 0 && open === undefined) return failed ? null : <EmptyInbox />;
  const list = (
    <div className={styles.aside}>
      <InboxFilters items={items} place={place} />
      {listed.length === 0 && <NothingFits place={place} />}
      <InboxList listed={listed} outcomes={outcomes} place={place} />
      <RecentDecisions />
    </div>
  );
  const detail = chosen ? (
    <OpenItem key={open} shown={chosen} outcomes={outcomes} next={next} place={place} {...doings} />
  ) : (
    open !== undefined && <NotWaiting path={place.path} />
  );
  if (!wide) return detail || list;
  return (
    <div className={styles.columns}>
      {list}
      <div className={styles.detail}>{detail}</div>
    </div>
  );
}

function NothingFits({ place }: { place: InboxPlace }) {
  if (!isFiltered(place.filter)) return <p className="soft">Nothing else waits now.</p>;
  return (
    <div className="stack">
      <p className="soft">Nothing that waits fits.</p>
      <div>
        <Button small onClick={() => place.choose(EVERYTHING)}>
          Show everything
        </Button>
      </div>
    </div>
  );
}

function EmptyInbox() {
  return (
    <>
      <Empty icon={<Icon size={28} aria-hidden="true" />} title="Nothing waits for you">
        <p>
          Questions appear here as soon as an agent asks one with <code>add_question</code>, and calls that need your
          word before the gateway makes them. The title of this page counts them, so you can leave it open in a tab.
        </p>
        <p>
          No agents yet? <Link href="/connect">Connect one</Link>, or watch a scripted team with{" "}
          <code>longtable demo</code>.
        </p>
      </Empty>
      <RecentDecisions />
    </>
  );
}
