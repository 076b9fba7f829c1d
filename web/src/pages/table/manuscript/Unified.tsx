import { useMemo } from "react";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { compare, folded, isSame, type Row, type Side } from "@/parts/difference";
import { Text } from "@/parts/Text";

/** Two texts in one column, for a window without room for two: what went, then what came. */
export function Unified({ before, after, names }: { before: string; after: string; names: [string, string] }) {
  const rows = useMemo(() => folded(compare(before, after)), [before, after]);
  return (
    <section className={`diff ${styles.unified}`} aria-label={`From ${names[0]} to ${names[1]}`}>
      <p className={styles.names}>
        <del>{names[0]}</del> <ins>{names[1]}</ins>
      </p>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a comparison is replaced as a whole
        <Lines key={index} row={row} />
      ))}
    </section>
  );
}

function Lines({ row }: { row: Row }) {
  if ("skipped" in row) {
    return <p className={styles.gap}>{row.skipped === 1 ? "1 line" : `${row.skipped} lines`} without a change</p>;
  }
  if (isSame(row)) return <p>{row.after && <Text>{row.after.text}</Text>}</p>;
  return (
    <>
      {row.before && <ChangedLine side={row.before} change="removed" />}
      {row.after && <ChangedLine side={row.after} change="added" />}
    </>
  );
}

function ChangedLine({ side, change }: { side: Side; change: "added" | "removed" }) {
  const Mark = change === "added" ? "ins" : "del";
  const words: [string, boolean][] = side.words ?? [[side.text, false]];
  return (
    <p data-change={change}>
      <span className="hidden-but-read">{change === "added" ? "Added: " : "Removed: "}</span>
      {words.map(([text, differs], index) =>
        differs ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: words of one line never move
          <Mark key={index}>{text}</Mark>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: words of one line never move
          <Text key={index}>{text}</Text>
        ),
      )}
    </p>
  );
}
