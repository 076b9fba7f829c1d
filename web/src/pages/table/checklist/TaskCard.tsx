import { GripVertical, MessageSquareText, Timer, User } from "lucide-react";
import { memo } from "react";
import {
  leaseLeft,
  nameOf,
  notesOf,
  PRIORITIES,
  type Priority,
  type Task,
  WORDS,
  waitsFor,
} from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { byKey, columnOf, DESTINATIONS, type Move } from "@/pages/table/checklist/moving";
import { Menu, MenuItem } from "@/pages/table/Menu";
import { Badge } from "@/parts/Badge";
import { Text } from "@/parts/Text";
import { useNow } from "@/parts/Time";

/** The type of what is dragged. */
export const DRAGGED = "application/x-longtable-task";

interface Props {
  task: Task;
  show: (task: Task) => void;
  move?: ((move: Move) => void) | undefined;
}

export const TaskCard = memo(function TaskCard({ task, show, move }: Props) {
  const notes = notesOf(task);
  const waits = waitsFor(task);
  const ended = task.status === "failed" || task.status === "cancelled";
  return (
    <article
      className={styles.card}
      data-status={task.status}
      data-task={task.id}
      draggable={move !== undefined}
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED, task.id)}
    >
      <button
        type="button"
        id={`task-${task.id}`}
        className={styles.open}
        aria-keyshortcuts={move && "Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown"}
        onClick={() => show(task)}
        onKeyDown={(event) => {
          const next = event.shiftKey ? byKey(task, event.key) : undefined;
          if (!move || !next) return;
          event.preventDefault();
          move(next);
        }}
      >
        <Text>{nameOf(task)}</Text>
      </button>
      {move && <MoveMenu task={task} move={move} />}
      <p className={styles.marks}>
        <span className="mono soft">{task.id}</span>
        {task.priority !== "medium" && <PriorityMark priority={task.priority} />}
        {task.ready && <Badge tone="good">Ready</Badge>}
        {waits && <Badge tone="warn">{waits}</Badge>}
        {ended && <Badge tone={task.status === "failed" ? "bad" : "plain"}>{WORDS[task.status]}</Badge>}
      </p>
      {(task.assigned_to || notes || task.lease_expires_at) && (
        <p className={styles.marks}>
          {task.assigned_to && <Assignee name={task.assigned_to} />}
          {task.lease_expires_at && <Lease until={task.lease_expires_at} />}
          {notes && (
            <span className={styles.mark}>
              <MessageSquareText size={14} aria-hidden="true" /> {notes}
            </span>
          )}
        </p>
      )}
    </article>
  );
});

/** The same moves without dragging: for fingers, keys and those who do not see the board. */
function MoveMenu({ task, move }: { task: Task; move: (move: Move) => void }) {
  const here = columnOf(task.status);
  return (
    <span className={styles.mover}>
      <Menu small label={`Move task ${task.id}`} title={<GripVertical size={14} aria-hidden="true" />}>
        {DESTINATIONS.filter(({ id }) => id !== here).map(({ id, status, title }) => (
          <MenuItem key={id} act={() => move({ task, status })}>
            To {title.toLowerCase()}
          </MenuItem>
        ))}
        {PRIORITIES.filter((priority) => priority !== task.priority).map((priority) => (
          <MenuItem key={priority} act={() => move({ task, priority })}>
            Make it {priority} priority
          </MenuItem>
        ))}
      </Menu>
    </span>
  );
}

export function PriorityMark({ priority }: { priority: Priority }) {
  const words = { high: "High priority", medium: "Medium priority", low: "Low priority" };
  return <Badge tone={priority === "high" ? "mark" : "plain"}>{words[priority]}</Badge>;
}

export function Assignee({ name }: { name: string }) {
  return (
    <span className={styles.mark}>
      <User size={14} aria-hidden="true" />
      <span className="hidden-but-read">Assigned to </span>
      <Text>{name}</Text>
    </span>
  );
}

export function Lease({ until }: { until: string }) {
  const now = useNow();
  return (
    <span className={styles.mark} title="When the lease runs out, the task is pending again.">
      <Timer size={14} aria-hidden="true" /> {leaseLeft(until, now)}
    </span>
  );
}
