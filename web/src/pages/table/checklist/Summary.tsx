import type { Schemas } from "@/api/client";
import styles from "@/pages/table/checklist/checklist.module.css";
import { Badge } from "@/parts/Badge";
import { Progress } from "@/parts/Progress";

/** How far the work has come, in a line. */
export function Summary({ plan }: { plan: Schemas["PlanRead"] }) {
  const { summary, tasks } = plan;
  const ready = tasks.filter((task) => task.ready).length;
  if (summary.total === 0) return <p className="soft">No plan yet.</p>;
  return (
    <div className={styles.summary}>
      <Progress value={plan.progress} label="Progress of the plan" />
      <p className="row small">
        <span>
          {summary.completed} of {summary.total - summary.cancelled} done
        </span>
        {summary.in_progress > 0 && <Badge tone="calm">{summary.in_progress} in progress</Badge>}
        {ready > 0 && <Badge tone="mark">{ready} ready to begin</Badge>}
        {summary.blocked > 0 && <Badge tone="warn">{summary.blocked} blocked</Badge>}
        {summary.failed > 0 && <Badge tone="bad">{summary.failed} failed</Badge>}
      </p>
    </div>
  );
}
