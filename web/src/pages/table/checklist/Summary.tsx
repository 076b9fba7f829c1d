import type { Schemas } from "@/api/client";
import styles from "@/pages/table/checklist/checklist.module.css";
import { Badge } from "@/parts/Badge";

/** How the tasks stand, in a line. How far the whole is, the head of the session shows. */
export function Summary({ plan }: { plan: Schemas["PlanRead"] }) {
  const { summary, tasks } = plan;
  const ready = tasks.filter((task) => task.ready).length;
  if (summary.total === 0) return <p className="soft">No plan yet.</p>;
  return (
    <p className={`row small ${styles.summary}`}>
      <span>
        {summary.completed} of {summary.total - summary.cancelled} done
      </span>
      {summary.in_progress > 0 && <Badge tone="calm">{summary.in_progress} in progress</Badge>}
      {ready > 0 && <Badge tone="mark">{ready} ready to begin</Badge>}
      {summary.blocked > 0 && <Badge tone="warn">{summary.blocked} blocked</Badge>}
      {summary.failed > 0 && <Badge tone="bad">{summary.failed} failed</Badge>}
    </p>
  );
}
