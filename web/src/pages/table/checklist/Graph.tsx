import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { Task } from "@/pages/table/checklist/board";
import { type Block, folded, isFinished, unfolded } from "@/pages/table/checklist/folding";
import { GraphList } from "@/pages/table/checklist/GraphList";
import styles from "@/pages/table/checklist/graph.module.css";
import { drawn, shapeOf } from "@/pages/table/checklist/layout";
import { Minimap } from "@/pages/table/checklist/Minimap";
import { usePan } from "@/pages/table/checklist/pan";
import { Sheet } from "@/pages/table/checklist/Sheet";
import { useZoom, type Zoom } from "@/pages/table/checklist/zoom";
import { Button } from "@/parts/Button";

/** Which tasks wait for which: work flows from left to right. */
export default function Graph({ tasks, show }: { tasks: Task[]; show: (task: Task) => void }) {
  const [whole, setWhole] = useState(false);
  const blocks = useMemo(() => (whole ? unfolded(tasks) : folded(tasks)), [tasks, whole]);
  const shape = shapeOf(blocks);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another shape is drawn anew
  const drawing = useMemo(() => drawn(blocks), [shape]);
  const canvas = useRef<HTMLElement>(null);
  const zoom = useZoom(canvas, drawing, beginning(blocks));
  usePan(canvas, zoom);
  const statusOf = useStatus(blocks);
  return (
    <div className="stack">
      <div className="row apart">
        <p className="soft small">
          An arrow leads from a task to those that wait for it; it is dashed once they need not.
        </p>
        <div className="row">
          <FoldButton tasks={tasks} blocks={blocks} whole={whole} choose={setWhole} />
          <ZoomButtons zoom={zoom} />
        </div>
      </div>
      <div className={styles.framed}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section ref={canvas} className={styles.canvas} tabIndex={0} aria-label="Dependency graph">
          <div style={{ width: drawing.width * zoom.scale, height: drawing.height * zoom.scale }}>
            <Sheet drawing={drawing} blocks={blocks} scale={zoom.scale} show={show} unfold={() => setWhole(true)} />
          </div>
        </section>
        {!zoom.fits && <Minimap drawing={drawing} statusOf={statusOf} canvas={canvas} scale={zoom.scale} />}
      </div>
      <GraphList tasks={tasks} show={show} />
    </div>
  );
}

/** Where the work is: what somebody does, else what could be begun, else what is open, else the end. */
function beginning(blocks: Block[]): string | undefined {
  const alone = blocks.filter((block) => block.tasks.length === 1);
  const first = (matches: (task: Task) => boolean) => alone.find((block) => block.tasks.some(matches))?.id;
  return (
    first((task) => task.status === "in_progress") ??
    first((task) => task.ready && !isFinished(task)) ??
    first((task) => !isFinished(task)) ??
    blocks.at(-1)?.id
  );
}

function useStatus(blocks: Block[]) {
  return useMemo(() => {
    const known = new Map(blocks.map((block) => [block.id, block.tasks[0]?.status ?? "pending"]));
    return (id: string) => known.get(id) ?? "pending";
  }, [blocks]);
}

function FoldButton(props: { tasks: Task[]; blocks: Block[]; whole: boolean; choose: (whole: boolean) => void }) {
  const { tasks, blocks, whole, choose } = props;
  const hidden = tasks.length - blocks.filter((block) => block.tasks.length === 1).length;
  if (!whole && hidden === 0) return null;
  return (
    <Button onClick={() => choose(!whole)}>{whole ? "Fold finished tasks" : `Show ${hidden} folded tasks`}</Button>
  );
}

function ZoomButtons({ zoom }: { zoom: Zoom }) {
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
