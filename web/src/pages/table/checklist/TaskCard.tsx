import { MessageSquareText, Timer, User } from "lucide-react";
import { memo } from "react";
import { leaseLeft, nameOf, notesOf, type Priority, type Task, WORDS, waitsFor } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { Badge } from "@/parts/Badge";
import { Text } from "@/parts/Text";
import { useNow } from "@/parts/Time";

export const TaskCard = memo(function TaskCard({ task, show }: { task: Task; show: (task: Task) => void }) {
  const notes = notesOf(task);
  const waits = waitsFor(task);
  const ended = task.status === "failed" || task.status === "cancelled";
  return (
    <article className={styles.card} data-status={task.status}>
      <button type="button" id={`task-${task.id}`} className={styles.open} onClick={() => show(task)}>
        <Text>{nameOf(task)}</Text>
      </button>
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
