import { type ReactNode, useMemo } from "react";
import styles from "@/pages/inbox/inbox.module.css";
import { inLines, laidOut, type PrintedLine, shortFirst, textOf } from "@/pages/inbox/json";
import { Copy } from "@/parts/Copy";
import { Text } from "@/parts/Text";

/** More pieces than this stay one plain text: the page must not slow down over one call. */
const MOST_PIECES = 2_000;

/** All of the arguments of a call, the short ones first: nothing is cut, and what hides is spelled out. */
export function Arguments({
  text,
  label,
  heading = "Arguments",
  copy = "Copy the arguments",
}: {
  text: string;
  label: string;
  heading?: ReactNode;
  copy?: string;
}) {
  const pieces = useMemo(() => laidOut(shortFirst(text)), [text]);
  const lines = useMemo(() => inLines(pieces), [pieces]);
  const few = pieces.length <= MOST_PIECES && lines.length <= MOST_PIECES;
  return (
    <div className={styles.call}>
      <div className="row apart">
        <h3>{heading}</h3>
        <Copy text={text} label={copy} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.code} tabIndex={0} aria-label={label}>
        {few ? (
          lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text never move
            <ArgumentLine key={index} line={line} />
          ))
        ) : (
          <Text>{textOf(pieces)}</Text>
        )}
        <ToRead />
      </section>
    </div>
  );
}

/** A mark that must have been in view before anybody decides on a small screen. */
export function ToRead() {
  return <span data-read className={styles.end} />;
}

/** Where an argument begins: the parts of what is inside stand further in. */
const OUTERMOST = 2;

/** Further in than its own beginning, so that what goes on is not taken for a new line. */
const FURTHER = 2;

function ArgumentLine({ line: { indent, pieces } }: { line: PrintedLine }) {
  const hang = indent + FURTHER;
  return (
    <div style={{ paddingLeft: `${hang}ch`, textIndent: `-${hang}ch` }}>
      {pieces.map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
        <span key={index} data-kind={kind}>
          <Text>{text}</Text>
        </span>
      ))}
      {indent === OUTERMOST && <ToRead />}
    </div>
  );
}
