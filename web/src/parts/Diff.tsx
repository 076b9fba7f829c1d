import { useMemo } from "react";
import { compare, type DiffLine, folded, isSame, type Side } from "@/parts/difference";
import { Text } from "@/parts/Text";

/** Two texts side by side: what went is on the left, what came on the right. */
export function Diff({ before, after, names }: { before: string; after: string; names: [string, string] }) {
  const rows = useMemo(() => folded(compare(before, after)), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="diff" tabIndex={0} aria-label={`${names[0]} beside ${names[1]}`}>
      <table>
        <colgroup>
          <col className="number" />
          <col />
          <col className="number" />
          <col />
        </colgroup>
        <thead className="hidden-but-read">
          <tr>
            <th>Line</th>
            <th>{names[0]}</th>
            <th>Line</th>
            <th>{names[1]}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a comparison is replaced as a whole
            <DiffRow key={index} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function DiffRow({ row }: { row: DiffLine | { skipped: number } }) {
  if ("skipped" in row) {
    return (
      <tr className="gap">
        <td colSpan={4}>{row.skipped === 1 ? "1 line" : `${row.skipped} lines`} without a change</td>
      </tr>
    );
  }
  const same = isSame(row);
  return (
    <tr>
      <DiffCell side={row.before} change={same ? undefined : "removed"} />
      <DiffCell side={row.after} change={same ? undefined : "added"} />
    </tr>
  );
}

function DiffCell({ side, change }: { side: Side | undefined; change: "added" | "removed" | undefined }) {
  if (!side) return <td colSpan={2} />;
  return (
    <>
      <td className="number" data-change={change}>
        {side.number}
      </td>
      <td data-change={change}>{side.words ? <Words side={side} change={change} /> : <Text>{side.text}</Text>}</td>
    </>
  );
}

function Words({ side, change }: { side: Side; change: "added" | "removed" | undefined }) {
  const Mark = change === "added" ? "ins" : "del";
  return side.words?.map(([text, differs], index) =>
    differs ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: words of one line never move
      <Mark key={index}>
        <Text>{text}</Text>
      </Mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: words of one line never move
      <Text key={index}>{text}</Text>
    ),
  );
}
