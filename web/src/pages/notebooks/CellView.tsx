import { CircleX, EyeOff, Pencil, TriangleAlert } from "lucide-react";
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useIsOwner } from "@/api/me";
import { padAddress } from "@/pages/notebooks/address";
import { type Checking, useCellCheck } from "@/pages/notebooks/checking";
import { type Cell as FullCell, type ListedCell, type Pad, useCellsAround } from "@/pages/notebooks/data";
import { type Finding, findingsOf, placeOfFinding, stateOf } from "@/pages/notebooks/findings";
import styles from "@/pages/notebooks/pad.module.css";
import { Source } from "@/pages/notebooks/Source";
import { StateBadge } from "@/pages/notebooks/StateBadge";
import { linkTo } from "@/pages/table/Menu";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Code } from "@/parts/Code";
import { Copy } from "@/parts/Copy";
import { Markdown } from "@/parts/Markdown";
import { Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

/** Longer Markdown is shown as it is written: rendering it would hold the page up. */
const LONGEST_RENDERED = 100_000;

/** A cell, or a line of one, that somebody wants to see. `wish` rises with every time. */
export interface Target {
  cellId: string;
  line: number | undefined;
  wish: number;
}

interface Props {
  pad: Pad;
  index: number;
  listed: ListedCell;
  checking: Checking;
  target: Target | undefined;
  acts: CellActs;
}

/** What a person can do with a cell. */
export interface CellActs {
  redact: (cell: ListedCell) => void;
  edit: (cell: FullCell) => void;
}

export const CellView = memo(function CellView({ pad, index, listed, checking, target, acts }: Props) {
  const { cells, problem, again } = useCellsAround(pad, index);
  const cell = cells?.find((one) => one.cell_id === listed.cell_id);
  const check = useCellCheck(pad, index, cells ?? [], listed.cell_id, checking);
  const findings = useMemo(() => findingsOf(check.result), [check.result]);
  const box = useRevealed(target?.line === undefined ? target?.wish : undefined, cell !== undefined);
  return (
    <article ref={box} className={styles.cell} tabIndex={-1} aria-label={`Cell ${index + 1}`}>
      <header className={styles.cellHead}>
        <h2>Cell {index + 1}</h2>
        <Badge tone="calm">{listed.language}</Badge>
        {cell && <span className="soft small">{cell.type}</span>}
        {listed.tags.map((tag) => (
          <Badge key={tag}>
            <Text>{tag}</Text>
          </Badge>
        ))}
        <span className={styles.cellState}>
          <StateBadge state={stateOf(check.result)} busy={check.waiting} />
        </span>
        <CellActions
          number={index + 1}
          address={padAddress(pad.head.scratch_id, listed.cell_id)}
          content={cell?.content}
          busy={check.busy}
          check={check.start}
          edit={cell && !cell.truncated ? () => acts.edit(cell) : undefined}
          redact={() => acts.redact(listed)}
        />
      </header>
      {(problem || check.problem) && <Problem of={problem ?? check.problem} again={problem ? again : check.start} />}
      {cell ? (
        <CellContent cell={cell} number={index + 1} findings={findings} target={target} />
      ) : (
        !problem && <p className={styles.preview}>{listed.preview}</p>
      )}
    </article>
  );
});

/** Scrolls to the element and gives it the focus, once for every wish and not before its text is there. */
function useRevealed(wish: number | undefined, ready: boolean) {
  const box = useRef<HTMLElement>(null);
  const granted = useRef<number>(undefined);
  useEffect(() => {
    if (wish === undefined || !ready || granted.current === wish) return;
    granted.current = wish;
    box.current?.scrollIntoView({ block: "start" });
    box.current?.focus({ preventScroll: true });
  }, [wish, ready]);
  return box;
}

function CellActions({
  number,
  address,
  content,
  busy,
  check,
  edit,
  redact,
}: {
  number: number;
  address: string;
  content: string | undefined;
  busy: boolean;
  check: () => void;
  edit: (() => void) | undefined;
  redact: () => void;
}) {
  const owner = useIsOwner();
  return (
    <span className={styles.cellActions}>
      <Button small busy={busy} onClick={check} aria-label={`Check cell ${number}`}>
        Check
      </Button>
      {edit && (
        <Button small onClick={edit} aria-label={`Edit cell ${number}`}>
          <Pencil size={14} aria-hidden="true" /> Edit
        </Button>
      )}
      {content !== undefined && <Copy text={content} />}
      <Copy text={linkTo(address)} label="Copy link" />
      {owner && (
        <Button
          small
          kind="quiet"
          onClick={redact}
          aria-label={`Redact cell ${number}`}
          title="For a secret that was pasted: takes the text of this cell away for good"
        >
          <EyeOff size={14} aria-hidden="true" /> Redact
        </Button>
      )}
    </span>
  );
}

function CellContent({
  cell,
  number,
  findings,
  target,
}: {
  cell: FullCell;
  number: number;
  findings: Finding[];
  target: Target | undefined;
}) {
  const renders = cell.language === "md" && cell.content.length <= LONGEST_RENDERED;
  const [written, setWritten] = useState(false);
  const [own, setOwn] = useState<{ line: number; wish: number }>();
  const wished = useMemo(
    () => (target?.line === undefined ? undefined : { line: target.line, wish: target.wish }),
    [target],
  );
  useEffect(() => {
    if (wished) setWritten(true);
  }, [wished]);
  const jump = (line: number) => {
    setWritten(true);
    setOwn((before) => ({ line, wish: (before?.wish ?? 0) + 1 }));
  };
  return (
    <>
      {renders && <RenderChoice number={number} written={written} choose={setWritten} />}
      {renders && !written ? (
        <div className={styles.rendered}>
          <FindingList findings={findings} jump={jump} />
          <Markdown text={cell.content} />
        </div>
      ) : (
        <Source
          text={cell.content}
          language={cell.language}
          findings={findings}
          label={`Text of cell ${number}`}
          reveal={own ?? wished}
        />
      )}
      <Extras cell={cell} />
    </>
  );
}

function RenderChoice({
  number,
  written,
  choose,
}: {
  number: number;
  written: boolean;
  choose: (written: boolean) => void;
}) {
  return (
    <fieldset className={styles.ways} aria-label={`How cell ${number} is shown`}>
      <Button small kind="quiet" aria-pressed={!written} onClick={() => choose(false)}>
        Rendered
      </Button>
      <Button small kind="quiet" aria-pressed={written} onClick={() => choose(true)}>
        Source
      </Button>
    </fieldset>
  );
}

function FindingList({ findings, jump }: { findings: Finding[]; jump: (line: number) => void }) {
  if (findings.length === 0) return null;
  return (
    <ul className={`plain-list ${styles.findings}`}>
      {findings.map((finding, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: findings are replaced as a whole
        <li key={index}>
          <FindingButton finding={finding} jump={() => jump(finding.line)} />
        </li>
      ))}
    </ul>
  );
}

export function FindingButton({ finding, jump, before }: { finding: Finding; jump: () => void; before?: ReactNode }) {
  const Icon = finding.tone === "error" ? CircleX : TriangleAlert;
  return (
    <button type="button" className={styles.finding} data-tone={finding.tone} onClick={jump}>
      <Icon size={14} aria-hidden="true" /> <strong>{finding.tone === "error" ? "Error" : "Warning"}</strong>{" "}
      <span className={styles.findingPlace}>
        {before}
        {placeOfFinding(finding)}:
      </span>{" "}
      <Text>{finding.message}</Text>
    </button>
  );
}

function Extras({ cell }: { cell: FullCell }) {
  const others = Object.keys(cell.metadata).length > 0;
  if (!cell.json_schema && !others) return null;
  return (
    <div className={styles.extras}>
      {cell.json_schema !== undefined && cell.json_schema !== null && (
        <details>
          <summary>Schema of this cell</summary>
          <Code text={pretty(cell.json_schema)} language="json" />
        </details>
      )}
      {others && (
        <details>
          <summary>Metadata of this cell</summary>
          <Code text={pretty(cell.metadata)} language="json" />
        </details>
      )}
    </div>
  );
}

export function pretty(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
