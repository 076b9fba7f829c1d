import { useMemo } from "react";
import styles from "@/pages/inbox/inbox.module.css";
import { laidOut } from "@/pages/inbox/json";
import { Copy } from "@/parts/Copy";
import { Text } from "@/parts/Text";

/** More pieces than this stay without colours: the page must not slow down over one call. */
const MOST_COLOURED = 2_000;

/** All of the arguments of a call: nothing is cut, and what hides is spelled out. */
export function Arguments({ text, label }: { text: string; label: string }) {
  const pieces = useMemo(() => laidOut(text), [text]);
  const coloured = pieces.length <= MOST_COLOURED;
  return (
    <div className={styles.call}>
      <div className="row apart">
        <h3>Arguments</h3>
        <Copy text={text} label="Copy the arguments" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.code} tabIndex={0} aria-label={label}>
        {coloured ? (
          pieces.map(({ kind, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
            <span key={index} data-kind={kind}>
              <Text>{text}</Text>
            </span>
          ))
        ) : (
          <Text>{pieces.map((piece) => piece.text).join("")}</Text>
        )}
      </section>
    </div>
  );
}
