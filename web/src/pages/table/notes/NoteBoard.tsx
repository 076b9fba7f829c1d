import { memo, startTransition, useCallback, useEffect, useRef, useState } from "react";
import { columnsOf, type NoteColumn, type NoteFilter, steadyOrder } from "@/pages/table/notes/arranging";
import type { DrawNote } from "@/pages/table/notes/Corkboard";
import { type Note, type NoteTags, useNotes } from "@/pages/table/notes/data";
import { useShownNotes } from "@/pages/table/notes/NoteList";
import styles from "@/pages/table/notes/notes.module.css";
import { Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { useRest } from "@/parts/top";
import { VirtualList } from "@/parts/VirtualList";

const idOf = (note: Note) => note.id;

/** ColumnCards in columns, side by side: all notes, then one column for each of the most used tags. */
export function NoteBoard(props: { id: string; counted: NoteTags; filter: NoteFilter; card: DrawNote }) {
  const { id, counted, filter, card } = props;
  const rest = useRest<HTMLElement>("26rem");
  const order = useSteadyOrder(counted, filter);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section {...rest} className={styles.board} tabIndex={0} aria-label="Notes by tag">
      {columnsOf(order, counted, filter).map((column) => (
        <OneColumn key={`${column.id} ${filter.author}`} id={id} column={column} card={card} />
      ))}
    </section>
  );
}

function useSteadyOrder(counted: NoteTags, filter: NoteFilter): string[] {
  const former = useRef<string[]>([]);
  const order = steadyOrder(former.current, counted.tags, filter.tags);
  if (filter.tags.length === 0) former.current = order;
  return order;
}

/** Its cards are read and rendered when it first comes into view. */
const OneColumn = memo(function OneColumn({ id, column, card }: { id: string; column: NoteColumn; card: DrawNote }) {
  const box = useRef<HTMLElement>(null);
  const seen = useSeen(box);
  return (
    <section ref={box} className={styles.column} aria-label={`Column ${column.title}`}>
      <h2 className={styles.columnTitle}>
        <Text>{column.title}</Text> <span className="soft small">{column.count.toLocaleString("en")}</span>
      </h2>
      {seen && <ColumnCards id={id} column={column} card={card} />}
    </section>
  );
}, isSame);

/** Columns are made anew with every count; what is in one depends on little of that. */
function isSame(one: ColumnProps, other: ColumnProps): boolean {
  return (
    one.id === other.id &&
    one.card === other.card &&
    one.column.id === other.column.id &&
    one.column.count === other.column.count &&
    one.column.choice.author === other.column.choice.author
  );
}

type ColumnProps = { id: string; column: NoteColumn; card: DrawNote };

function ColumnCards({ id, column, card }: ColumnProps) {
  const { query, readOlder } = useNotes(id, column.choice);
  const notes = useShownNotes(query.data?.items, card);
  const older = query.data?.older ?? false;
  const nearEnd = useCallback(() => void (older && readOlder()), [older, readOlder]);
  return (
    <Loaded query={query} what="the notes">
      {() => (
        <VirtualList items={notes.shown} label={`Notes: ${column.title}`} idOf={idOf} nearEnd={nearEnd}>
          {notes.draw}
        </VirtualList>
      )}
    </Loaded>
  );
}

function useSeen(box: { current: HTMLElement | null }): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element || seen) return;
    const watcher = new IntersectionObserver(
      (entries) => {
        // A column full of Markdown takes a while: made in pieces, it does not hold up what somebody does meanwhile.
        if (entries.some((entry) => entry.isIntersecting)) startTransition(() => setSeen(true));
      },
      { rootMargin: "0px 100px" },
    );
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [box, seen]);
  return seen;
}
