import { memo, type ReactNode, startTransition, useEffect, useRef, useState } from "react";
import type { NoteColumn } from "@/pages/table/notes/arranging";
import type { Note } from "@/pages/table/notes/data";
import styles from "@/pages/table/notes/notes.module.css";
import { Text } from "@/parts/Text";
import { useRest } from "@/parts/top";
import { VirtualList } from "@/parts/VirtualList";

const idOf = (note: Note) => note.id;

/** Cards in columns, side by side. */
export function NoteBoard({ columns, card }: { columns: NoteColumn[]; card: (note: Note) => ReactNode }) {
  const rest = useRest<HTMLElement>("26rem");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section {...rest} className={styles.board} tabIndex={0} aria-label="Notes by tag">
      {columns.map((column) => (
        <OneColumn key={column.id} column={column} card={card} />
      ))}
    </section>
  );
}

/** Its cards are rendered when it first comes into view. */
const OneColumn = memo(function OneColumn({ column, card }: { column: NoteColumn; card: (note: Note) => ReactNode }) {
  const box = useRef<HTMLElement>(null);
  const seen = useSeen(box);
  return (
    <section ref={box} className={styles.column} aria-label={`Column ${column.title}`}>
      <h2 className={styles.columnTitle}>
        <Text>{column.title}</Text> <span className="soft small">{column.notes.length.toLocaleString("en")}</span>
      </h2>
      {seen && (
        <VirtualList items={column.notes} label={`Notes: ${column.title}`} idOf={idOf}>
          {card}
        </VirtualList>
      )}
    </section>
  );
});

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
