import { type PointerEvent, type RefObject, useEffect, useState } from "react";
import type { TaskStatus } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/graph.module.css";
import { BOX, type Drawing } from "@/pages/table/checklist/layout";

const LONGEST_SIDE = 160;
/** A long row of tasks is drawn higher than it is, so that there is something to hit. */
const SHORTEST_SIDE = 28;

interface Props {
  drawing: Drawing;
  statusOf: (id: string) => TaskStatus;
  canvas: RefObject<HTMLElement | null>;
  scale: number;
}

/** All of the drawing in a corner, with a frame around what is in sight. For the mouse: the keyboard has the list. */
export function Minimap({ drawing, statusOf, canvas, scale }: Props) {
  const frame = useFrame(canvas, scale);
  const small = LONGEST_SIDE / Math.max(drawing.width, drawing.height);
  const width = Math.max(SHORTEST_SIDE, drawing.width * small);
  const height = Math.max(SHORTEST_SIDE, drawing.height * small);
  const go = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons === 0 || !canvas.current) return;
    const box = event.currentTarget.getBoundingClientRect();
    canvas.current.scrollTo({
      left: ((event.clientX - box.left) / width) * drawing.width * scale - canvas.current.clientWidth / 2,
      top: ((event.clientY - box.top) / height) * drawing.height * scale - canvas.current.clientHeight / 2,
    });
  };
  return (
    <svg
      className={styles.minimap}
      width={width}
      height={height}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onPointerDown={go}
      onPointerMove={go}
    >
      {pathsByStatus(drawing, statusOf).map(([status, path]) => (
        <path key={status} d={path} data-status={status} />
      ))}
      <rect className={styles.inView} x={frame.left} y={frame.top} width={frame.width} height={frame.height} />
    </svg>
  );
}

function pathsByStatus(drawing: Drawing, statusOf: (id: string) => TaskStatus): [TaskStatus, string][] {
  const paths = new Map<TaskStatus, string>();
  for (const box of drawing.boxes) {
    const status = statusOf(box.id);
    const outline = `M${box.left} ${box.top}h${BOX.width}v${BOX.height}h${-BOX.width}z`;
    paths.set(status, (paths.get(status) ?? "") + outline);
  }
  return [...paths];
}

/** The part in sight, in the measures of the drawing. */
function useFrame(canvas: RefObject<HTMLElement | null>, scale: number) {
  const [frame, setFrame] = useState({ left: 0, top: 0, width: 0, height: 0 });
  useEffect(() => {
    const box = canvas.current;
    if (!box) return;
    const look = () =>
      setFrame({
        left: box.scrollLeft / scale,
        top: box.scrollTop / scale,
        width: box.clientWidth / scale,
        height: box.clientHeight / scale,
      });
    look();
    box.addEventListener("scroll", look, { passive: true });
    return () => box.removeEventListener("scroll", look);
  }, [canvas, scale]);
  return frame;
}
