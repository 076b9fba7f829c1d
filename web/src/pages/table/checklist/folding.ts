import type { Task } from "@/pages/table/checklist/board";

/** What is drawn as one box: a task, or finished tasks that nothing open waits for. */
export interface Block {
  id: string;
  depends_on: string[];
  tasks: Task[];
}

/** Fewer finished tasks than this stay as they are. */
const WORTH_FOLDING = 3;

export function isFinished(task: Task): boolean {
  return task.status === "completed" || task.status === "cancelled";
}

export function unfolded(tasks: Task[]): Block[] {
  return tasks.map((task) => ({ id: task.id, depends_on: task.depends_on, tasks: [task] }));
}

/** Chains of finished tasks become one box each. The last of a chain, for which open tasks have waited, stays. */
export function folded(tasks: Task[]): Block[] {
  const needed = new Set(tasks.filter((task) => !isFinished(task)).flatMap((task) => task.depends_on));
  const old = tasks.filter((task) => isFinished(task) && !needed.has(task.id));
  const place = new Map<string, Block>();
  for (const chain of chainsOf(old)) {
    const [first] = chain;
    if (!first || chain.length < WORTH_FOLDING) continue;
    const block = { id: `finished-${first.id}`, depends_on: [], tasks: chain };
    for (const task of chain) place.set(task.id, block);
  }
  const blocks = new Set(
    tasks.map((task) => place.get(task.id) ?? { id: task.id, depends_on: task.depends_on, tasks: [task] }),
  );
  return [...blocks].map((block) => ({ ...block, depends_on: tiesOf(block, place) }));
}

function tiesOf(block: Block, place: ReadonlyMap<string, Block>): string[] {
  const ties = block.tasks.flatMap((task) => task.depends_on).map((id) => place.get(id)?.id ?? id);
  return [...new Set(ties)].filter((id) => id !== block.id);
}

/** Tasks that hang together, in the order in which they were given. */
function chainsOf(tasks: Task[]): Task[][] {
  const parent = new Map(tasks.map((task) => [task.id, task.id]));
  const rootOf = (id: string): string => {
    let root = id;
    while (parent.get(root) !== root) root = parent.get(root) as string;
    parent.set(id, root);
    return root;
  };
  for (const task of tasks) {
    for (const before of task.depends_on) if (parent.has(before)) parent.set(rootOf(task.id), rootOf(before));
  }
  const chains = new Map<string, Task[]>();
  for (const task of tasks) {
    const root = rootOf(task.id);
    chains.set(root, [...(chains.get(root) ?? []), task]);
  }
  return [...chains.values()];
}

/** A box with all that it waits for and all that waits for it. */
export function relatives(blocks: Pick<Block, "id" | "depends_on">[], id: string): Set<string> {
  const before = new Map(blocks.map((block) => [block.id, block.depends_on]));
  const after = new Map<string, string[]>();
  for (const block of blocks) {
    for (const other of block.depends_on) after.set(other, [...(after.get(other) ?? []), block.id]);
  }
  return new Set([...reached(id, before), ...reached(id, after)]);
}

function reached(start: string, next: ReadonlyMap<string, string[]>): Set<string> {
  const found = new Set([start]);
  // A set that grows while it is gone through is gone through to its end.
  for (const id of found) for (const other of next.get(id) ?? []) found.add(other);
  return found;
}
