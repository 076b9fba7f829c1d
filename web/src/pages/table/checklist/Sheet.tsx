import { memo, useMemo, useState } from "react";
import { nameOf, type Task, WORDS, waitsFor } from "@/pages/table/checklist/board";
import { type Block, relatives } from "@/pages/table/checklist/folding";
import styles from "@/pages/table/checklist/graph.module.css";
import { type Arrow, BOX, type Box, type Drawing } from "@/pages/table/checklist/layout";
import { WORDLESS } from "@/pages/table/checklist/zoom";
import { Text } from "@/parts/Text";

interface SheetProps {
  drawing: Drawing;
  blocks: Block[];
  scale: number;
  show: (task: Task) => void;
  unfold: () => void;
}

/** The drawing itself. What is pointed at is lit, with all that it waits for and all that waits for it. */
export function Sheet({ drawing, blocks, scale, show, unfold }: SheetProps) {
  const [pointed, point] = useState<string>();
  const byId = useMemo(() => new Map(blocks.map((block) => [block.id, block])), [blocks]);
  const lit = useMemo(() => (pointed === undefined ? undefined : relatives(blocks, pointed)), [blocks, pointed]);
  const { width, height } = drawing;
  return (
    <div
      className={styles.sheet}
      data-lit={lit ? true : undefined}
      style={{ width, height, transform: `scale(${scale})` }}
    >
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <Heads />
        {drawing.arrows.map((arrow) => (
          <DependencyLine
            key={`${arrow.from} ${arrow.to}`}
            arrow={arrow}
            open={byId.get(arrow.to)?.tasks.some((task) => task.blocked_by.includes(arrow.from)) ?? false}
            lit={Boolean(lit?.has(arrow.from) && lit.has(arrow.to))}
          />
        ))}
      </svg>
      {drawing.boxes.map((box) => (
        <Node
          key={box.id}
          box={box}
          block={byId.get(box.id)}
          lit={lit?.has(box.id) ?? false}
          wordless={scale < WORDLESS}
          show={show}
          unfold={unfold}
          point={point}
        />
      ))}
    </div>
  );
}

const HEADS = ["open", "done", "lit"];

function Heads() {
  return (
    <defs>
      {HEADS.map((kind) => (
        <marker
          key={kind}
          id={`arrow-${kind}`}
          className={styles.tip}
          data-kind={kind}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerUnits="userSpaceOnUse"
          markerWidth="11"
          markerHeight="11"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8Z" />
        </marker>
      ))}
    </defs>
  );
}

/** Firm while the task behind it still waits, dashed once it does not. */
const DependencyLine = memo(function DependencyLine(props: { arrow: Arrow; open: boolean; lit: boolean }) {
  const { arrow, open, lit } = props;
  const kind = lit ? "lit" : open ? "open" : "done";
  return <path className={styles.arrow} data-kind={kind} d={arrow.path} markerEnd={`url(#arrow-${kind})`} />;
});

interface NodeProps {
  box: Box;
  block: Block | undefined;
  lit: boolean;
  wordless: boolean;
  show: (task: Task) => void;
  unfold: () => void;
  point: (id: string | undefined) => void;
}

const Node = memo(function Node({ box, block, lit, wordless, show, unfold, point }: NodeProps) {
  const task = block?.tasks[0];
  if (!block || !task) return null;
  const many = block.tasks.length;
  const name = many > 1 ? `${many} finished tasks` : nameOf(task);
  return (
    <button
      type="button"
      id={many > 1 ? box.id : `task-${task.id}`}
      className={styles.node}
      data-status={task.status}
      data-folded={many > 1 || undefined}
      data-lit={lit || undefined}
      data-wordless={wordless || undefined}
      aria-label={wordless ? name : undefined}
      style={{ left: box.left, top: box.top, width: BOX.width, height: BOX.height }}
      onClick={() => (many > 1 ? unfold() : show(task))}
      onMouseEnter={() => point(box.id)}
      onMouseLeave={() => point(undefined)}
      onFocus={() => point(box.id)}
      onBlur={() => point(undefined)}
    >
      {!wordless && <BlockText name={name} task={many > 1 ? undefined : task} />}
    </button>
  );
});

function BlockText({ name, task }: { name: string; task: Task | undefined }) {
  return (
    <>
      <span className={styles.nodeName}>
        <Text>{name}</Text>
      </span>
      <span className={styles.nodeMarks}>
        <span>{task ? statusOf(task) : "Show them"}</span>
        {task?.assigned_to && (
          <span className="clip">
            <Text>{task.assigned_to}</Text>
          </span>
        )}
      </span>
    </>
  );
}

function statusOf(task: Task): string {
  return task.ready ? "Ready" : (waitsFor(task) ?? WORDS[task.status]);
}
