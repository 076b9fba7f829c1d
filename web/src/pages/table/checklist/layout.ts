import { Graph, layout } from "@dagrejs/dagre";
import { columnsOf, type Tied } from "@/pages/table/checklist/layered";

export interface Box {
  id: string;
  left: number;
  top: number;
}

/** Leads from a task to one that waits for it. */
export interface Arrow {
  from: string;
  to: string;
  path: string;
}

export interface Drawing {
  boxes: Box[];
  arrows: Arrow[];
  width: number;
  height: number;
}

export const BOX = { width: 208, height: 76 };
const GAP = 20;
const BETWEEN_RANKS = 56;
const EDGE = 12;
/** A good layout of more than these takes too long. */
const WELL_PLACED = 150;
/** The best order of boxes takes too long to find for more than these. */
const WELL_ORDERED = 80;

interface Point {
  x: number;
  y: number;
}

interface Edge {
  from: string;
  to: string;
}

/** Says whether two plans are drawn alike: status and words move nothing. */
export function shapeOf(tasks: Tied[]): string {
  return tasks.map((task) => `${task.id}<${task.depends_on.join(",")}`).join(" ");
}

/** Places every task and every dependency between them, work flowing from left to right. */
export function drawn(tasks: Tied[]): Drawing {
  const ids = new Set(tasks.map((task) => task.id));
  const edges = tasks.flatMap((task) =>
    task.depends_on.filter((id) => ids.has(id)).map((from) => ({ from, to: task.id })),
  );
  const tied = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  const place = tied.size > WELL_PLACED ? inColumns : flowing;
  const flow = place(
    tasks.filter((task) => tied.has(task.id)),
    edges,
  );
  return withLoose(
    flow,
    tasks.filter((task) => !tied.has(task.id)),
  );
}

function flowing(tasks: Tied[], edges: Edge[]): Drawing {
  if (tasks.length === 0) return { boxes: [], arrows: [], width: 0, height: 0 };
  const graph = new Graph();
  graph.setGraph({
    rankdir: "LR",
    ranker: "tight-tree",
    nodesep: GAP,
    edgesep: 12,
    ranksep: BETWEEN_RANKS,
    marginx: EDGE,
    marginy: EDGE,
  });
  for (const task of tasks) graph.setNode(task.id, { ...BOX });
  for (const { from, to } of edges) graph.setEdge(from, to, {});
  layout(graph, { disableOptimalOrderHeuristic: tasks.length > WELL_ORDERED });
  const size = graph.graph() as { width: number; height: number };
  const centre = (id: string) => graph.node(id) as Point;
  return {
    boxes: tasks.map(({ id }) => {
      const { x, y } = centre(id);
      return { id, left: x - BOX.width / 2, top: y - BOX.height / 2 };
    }),
    arrows: edges.map(({ from, to }) => {
      const { points } = graph.edge(from, to) as { points: Point[] };
      return { from, to, path: curve(sideways(centre(from), centre(to), points)) };
    }),
    width: size.width,
    height: size.height,
  };
}

function inColumns(tasks: Tied[], edges: Edge[]): Drawing {
  const columns = columnsOf(tasks);
  const highest = Math.max(...columns.map((column) => column.length));
  const height = 2 * EDGE + highest * (BOX.height + GAP) - GAP;
  const boxes = columns.flatMap((column, rank) => {
    const top = (height - column.length * (BOX.height + GAP) + GAP) / 2;
    return column.map((id, index) => ({
      id,
      left: EDGE + rank * (BOX.width + BETWEEN_RANKS),
      top: top + index * (BOX.height + GAP),
    }));
  });
  const centres = new Map(boxes.map((box) => [box.id, { x: box.left + BOX.width / 2, y: box.top + BOX.height / 2 }]));
  const centre = (id: string) => centres.get(id) as Point;
  return {
    boxes,
    arrows: edges.map(({ from, to }) => ({ from, to, path: curve(sideways(centre(from), centre(to), [])) })),
    width: 2 * EDGE + columns.length * (BOX.width + BETWEEN_RANKS) - BETWEEN_RANKS,
    height,
  };
}

/** Tasks without any tie stand in rows below: in one rank they would make the drawing as high as the plan is long. */
function withLoose(flow: Drawing, loose: Tied[]): Drawing {
  if (loose.length === 0) return flow;
  const step = { x: BOX.width + GAP, y: BOX.height + GAP };
  const columns = Math.max(4, Math.floor((flow.width - 2 * EDGE + GAP) / step.x));
  const first = flow.height > 0 ? flow.height + GAP : EDGE;
  const boxes = loose.map(({ id }, index) => ({
    id,
    left: EDGE + (index % columns) * step.x,
    top: first + Math.floor(index / columns) * step.y,
  }));
  const rows = Math.ceil(loose.length / columns);
  const across = Math.min(columns, loose.length);
  return {
    boxes: [...flow.boxes, ...boxes],
    arrows: flow.arrows,
    width: Math.max(flow.width, 2 * EDGE + across * step.x - GAP),
    height: first + rows * step.y - GAP + EDGE,
  };
}

/** Leaves a box in the middle of its right side and enters the next at its left, so that every tip is in sight. */
function sideways(from: Point, to: Point, points: Point[]): Point[] {
  const between = points.slice(1, -1);
  return [
    { x: from.x + BOX.width / 2, y: from.y },
    // A neighbour is reached in one swing.
    ...(between.length > 1 ? between : []),
    { x: to.x - BOX.width / 2, y: to.y },
  ];
}

/** A line through the points that bends softly at each of them. */
export function curve(points: Point[]): string {
  const [start, ...rest] = points;
  if (!start) return "";
  const steps = rest.map((point, index) => {
    const before = points[index] as Point;
    const middle = round((before.x + point.x) / 2);
    return `C${middle} ${round(before.y)} ${middle} ${round(point.y)} ${round(point.x)} ${round(point.y)}`;
  });
  return `M${round(start.x)} ${round(start.y)}${steps.join("")}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
