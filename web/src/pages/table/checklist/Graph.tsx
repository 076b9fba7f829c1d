import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { nameOf, type Task, WORDS, waitsFor } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { GraphList } from "@/pages/table/checklist/GraphList";
import { type Arrow, BOX, type Box, type Drawing, drawn, shapeOf, worthDrawing } from "@/pages/table/checklist/layout";
import { useZoom } from "@/pages/table/checklist/zoom";
import { Button } from "@/parts/Button";
import { Notice } from "@/parts/Notice";
import { Text } from "@/parts/Text";

/** Which tasks wait for which: work flows from left to right. */
export default function Graph({ tasks, show }: { tasks: Task[]; show: (task: Task) => void }) {
  const chosen = useMemo(() => worthDrawing(tasks), [tasks]);
  const shape = shapeOf(chosen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another shape is drawn anew
  const drawing = useMemo(() => drawn(chosen), [shape]);
  const canvas = useRef<HTMLElement>(null);
  const zoom = useZoom(canvas, drawing);
  return (
    <div className="stack">
      <div className="row apart">
        <p className="soft small">
          An arrow leads from a task to those that wait for it; it is dashed once they need not.
        </p>
        <ZoomButtons zoom={zoom} />
      </div>
      {chosen.length < tasks.length && (
        <Notice>
          The graph shows {chosen.length} of {tasks.length} tasks, open ones first. The board has them all.
        </Notice>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={canvas} className={styles.canvas} tabIndex={0} aria-label="Dependency graph">
        <div style={{ width: drawing.width * zoom.scale, height: drawing.height * zoom.scale }}>
          <Sheet drawing={drawing} tasks={chosen} scale={zoom.scale} show={show} />
        </div>
      </section>
      <GraphList tasks={chosen} show={show} />
    </div>
  );
}

function ZoomButtons({ zoom }: { zoom: ReturnType<typeof useZoom> }) {
  return (
    <fieldset className={styles.zoom}>
      <legend className="hidden-but-read">Zoom</legend>
      <Button aria-label="Zoom out" onClick={zoom.less}>
        <ZoomOut size={16} aria-hidden="true" />
      </Button>
      <Button aria-label="Zoom in" onClick={zoom.more}>
        <ZoomIn size={16} aria-hidden="true" />
      </Button>
      <Button onClick={zoom.fit} aria-pressed={zoom.fits}>
        <Maximize size={16} aria-hidden="true" /> Fit
      </Button>
    </fieldset>
  );
}

interface SheetProps {
  drawing: Drawing;
  tasks: Task[];
  scale: number;
  show: (task: Task) => void;
}

function Sheet({ drawing, tasks, scale, show }: SheetProps) {
  const [lit, setLit] = useState<string>();
  const byId = useMemo(() => new Map(tasks.map((task) => [task.id, task])), [tasks]);
  const { width, height } = drawing;
  return (
    <div className={styles.sheet} style={{ width, height, transform: `scale(${scale})` }}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <Heads />
        {drawing.arrows.map((arrow) => (
          <DependencyLine
            key={`${arrow.from} ${arrow.to}`}
            arrow={arrow}
            open={byId.get(arrow.to)?.blocked_by.includes(arrow.from) ?? false}
            lit={lit === arrow.from || lit === arrow.to}
          />
        ))}
      </svg>
      {drawing.boxes.map((box) => (
        <Node key={box.id} box={box} task={byId.get(box.id)} show={show} light={setLit} />
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
function DependencyLine({ arrow, open, lit }: { arrow: Arrow; open: boolean; lit: boolean }) {
  const kind = lit ? "lit" : open ? "open" : "done";
  return <path className={styles.arrow} data-kind={kind} d={arrow.path} markerEnd={`url(#arrow-${kind})`} />;
}

interface NodeProps {
  box: Box;
  task: Task | undefined;
  show: (task: Task) => void;
  light: (id: string | undefined) => void;
}

function Node({ box, task, show, light }: NodeProps) {
  if (!task) return null;
  const status = task.ready ? "Ready" : (waitsFor(task) ?? WORDS[task.status]);
  return (
    <button
      type="button"
      id={`task-${task.id}`}
      className={styles.node}
      data-status={task.status}
      style={{ left: box.left, top: box.top, width: BOX.width, height: BOX.height }}
      onClick={() => show(task)}
      onMouseEnter={() => light(task.id)}
      onMouseLeave={() => light(undefined)}
      onFocus={() => light(task.id)}
      onBlur={() => light(undefined)}
    >
      <span className={styles.nodeName}>
        <Text>{nameOf(task)}</Text>
      </span>
      <span className={styles.nodeMarks}>
        <span>{status}</span>
        {task.assigned_to && (
          <span className="clip">
            <Text>{task.assigned_to}</Text>
          </span>
        )}
      </span>
    </button>
  );
}
