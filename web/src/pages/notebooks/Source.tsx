import { useVirtualizer } from "@tanstack/react-virtual";
import { CircleX, TriangleAlert } from "lucide-react";
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { byLine, type Finding } from "@/pages/notebooks/findings";
import {
  type CodeLine,
  type CodePiece,
  colouredLines,
  pieces,
  plainLines,
  shortened,
  stretchOf,
  textOf,
  withPlainBreaks,
} from "@/pages/notebooks/lines";
import styles from "@/pages/notebooks/source.module.css";
import { Button } from "@/parts/Button";
import { useHighlighter } from "@/parts/Code";
import { Text } from "@/parts/Text";

/** Longer texts stay plain: colouring them would hold the page up. */
const LONGEST_COLOURED = 50_000;
const SHOWN = 400;
/** So many lines can stand in the page at once; more scroll in a box of their own. */
const MOST_IN_PAGE = 2_000;
const LONGEST_LINE = 2_000;
/** As high as a line is in the style sheet. */
const LINE_HEIGHT = 20;
const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function useLines(text: string, language: string): CodeLine[] {
  const colours = useHighlighter();
  return useMemo(() => {
    const plain = withPlainBreaks(text);
    const colourless = !colours || plain.length > LONGEST_COLOURED || !colours.lowlight.registered(language);
    return colourless ? plainLines(plain) : colouredLines(colours.lowlight.highlight(language, plain));
  }, [colours, text, language]);
}

interface Props {
  text: string;
  language: string;
  findings: Finding[];
  label: string;
  /** A line to bring into sight, and a number that rises with every wish to see one. */
  reveal: { line: number; wish: number } | undefined;
}

/** Text with numbered lines, and what a check says right below the line that it is about. */
export const Source = memo(function Source({ text, language, findings, label, reveal }: Props) {
  const lines = useLines(text, language);
  const found = useMemo(() => byLine(findings, lines.length), [findings, lines.length]);
  const [whole, setWhole] = useState(false);
  const all = whole || (reveal !== undefined && reveal.line > SHOWN) || lines.length <= SHOWN;
  const later = all ? 0 : findings.filter((finding) => finding.line > SHOWN).length;
  return (
    <div className={styles.source}>
      {all && lines.length > MOST_IN_PAGE ? (
        <LongSource lines={lines} found={found} label={label} reveal={reveal} />
      ) : (
        <Listing label={label} reveal={reveal} digits={String(lines.length).length}>
          {(all ? lines : lines.slice(0, SHOWN)).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its number
            <SourceLine key={index} line={line} number={index + 1} findings={found.get(index + 1)} />
          ))}
        </Listing>
      )}
      {!all && (
        <div className={styles.rest}>
          <Button small onClick={() => setWhole(true)}>
            Show all {lines.length.toLocaleString("en")} lines
          </Button>
          {later > 0 && <span className="small soft">More was found further down.</span>}
        </div>
      )}
    </div>
  );
});

function Listing({
  label,
  digits,
  reveal,
  children,
}: {
  label: string;
  digits: number;
  reveal: Props["reveal"];
  children: ReactNode;
}) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (reveal) showLine(box.current, reveal.line);
  }, [reveal]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={box} className={styles.listing} tabIndex={0} aria-label={label} data-digits={Math.min(digits, 7)}>
      <pre>
        <code dir="ltr">{children}</code>
      </pre>
    </section>
  );
}

function LongSource({
  lines,
  found,
  label,
  reveal,
}: {
  lines: CodeLine[];
  found: Map<number, Finding[]>;
  label: string;
  reveal: Props["reveal"];
}) {
  const box = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  useEffect(() => {
    if (!reveal) return;
    list.scrollToIndex(reveal.line - 1, { align: "center" });
    const timer = setTimeout(() => showLine(box.current, reveal.line), 100);
    return () => clearTimeout(timer);
  }, [reveal, list]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={box} className={`${styles.listing} ${styles.long}`} tabIndex={0} aria-label={label} data-digits={7}>
      <pre>
        <code dir="ltr" style={{ height: list.getTotalSize(), position: "relative" }}>
          {list.getVirtualItems().map((row) => (
            <span
              key={row.key}
              data-index={row.index}
              ref={list.measureElement}
              className={styles.placed}
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <SourceLine line={lines[row.index] ?? []} number={row.index + 1} findings={found.get(row.index + 1)} />
            </span>
          ))}
        </code>
      </pre>
    </section>
  );
}

function showLine(box: HTMLElement | null, line: number): void {
  const element = box?.querySelector<HTMLElement>(`[data-line="${line}"]`);
  element?.scrollIntoView({ block: "center", inline: "nearest" });
  element?.focus({ preventScroll: true });
}

const SourceLine = memo(function SourceLine({
  line,
  number,
  findings = [],
}: {
  line: CodeLine;
  number: number;
  findings: Finding[] | undefined;
}) {
  const { line: kept, hidden } = shortened(line, LONGEST_LINE);
  const text = textOf(kept);
  const worst = findings.some(({ tone }) => tone === "error") ? "error" : findings[0]?.tone;
  const stretches = findings.map((finding) => stretchOf(text, finding, finding.tone));
  return (
    <>
      <span className={styles.line} data-line={number} data-tone={worst} tabIndex={worst && -1}>
        <span className={styles.text}>
          {pieces(kept, stretches).map((piece, index) =>
            isPlain(piece) ? (
              piece.text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one line never move
              <Coloured key={index} piece={piece} />
            ),
          )}
          {hidden > 0 && <em className="soft"> and {hidden.toLocaleString("en")} more characters</em>}
        </span>
      </span>
      {findings.map((finding, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: findings are replaced as a whole
        <FindingLine key={index} finding={finding} />
      ))}
    </>
  );
});

/** Most pieces are: they need no element of their own. */
function isPlain(piece: CodePiece): boolean {
  return piece.levels.length === 0 && !piece.tone && !INVISIBLE.test(piece.text);
}

function Coloured({ piece }: { piece: CodePiece }) {
  const coloured = <Levels levels={piece.levels} text={piece.text} />;
  return piece.tone ? (
    <span className={styles.marked} data-tone={piece.tone}>
      {coloured}
    </span>
  ) : (
    coloured
  );
}

function Levels({ levels, text }: { levels: string[]; text: string }): ReactNode {
  const [outer, ...inner] = levels;
  if (outer !== undefined) {
    return (
      <span className={outer}>
        <Levels levels={inner} text={text} />
      </span>
    );
  }
  return INVISIBLE.test(text) ? <Text>{text}</Text> : text;
}

function FindingLine({ finding }: { finding: Finding }) {
  const Icon = finding.tone === "error" ? CircleX : TriangleAlert;
  return (
    <span className={styles.said} data-tone={finding.tone}>
      <Icon size={14} aria-hidden="true" />
      <span>
        <strong>
          {finding.tone === "error" ? "Error" : "Warning"} at column {finding.column}:
        </strong>{" "}
        <Text>{finding.message}</Text>
        {finding.path && (
          <>
            {" "}
            in <Text>{finding.path}</Text>
          </>
        )}
      </span>
    </span>
  );
}
