import { useQueryClient } from "@tanstack/react-query";
import { ListChecks, Plus } from "lucide-react";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useLocation, useRoute } from "wouter";
import type { Schemas } from "@/api/client";
import { keys } from "@/api/queries";
import { AddTask } from "@/pages/table/checklist/AddTask";
import type { Task } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { usePlan } from "@/pages/table/checklist/data";
import { MovableBoard } from "@/pages/table/checklist/MovableBoard";
import { Summary } from "@/pages/table/checklist/Summary";
import { TaskBoard } from "@/pages/table/checklist/TaskBoard";
import { TaskDialog } from "@/pages/table/checklist/TaskDialog";
import { useChosenView, ViewChoice } from "@/pages/table/checklist/ViewChoice";
import { Button } from "@/parts/Button";
import { focusIfLost } from "@/parts/focus";
import { lazily } from "@/parts/lazily";
import { Empty, Loaded, Loading } from "@/parts/Notice";

// The layout of graphs is heavy, and many never look at one.
const Graph = lazily(() => import("@/pages/table/checklist/Graph"));
const Reservations = lazily(() => import("@/pages/table/checklist/Reservations"));

/** The plan of a session: who does what, what waits for what, and how far the work has come. */
export default function Checklist({ id, closed }: { id: string; closed: boolean }) {
  const plan = usePlan(id);
  return (
    <Loaded query={plan} what="the checklist">
      {(data) => <PlanView id={id} closed={closed} plan={data} />}
    </Loaded>
  );
}

function PlanView({ id, closed, plan }: { id: string; closed: boolean; plan: Schemas["PlanRead"] }) {
  const [view, choose] = useChosenView();
  const [adding, setAdding] = useState(false);
  const { shown, show, close } = useTaskRoute(id);
  return (
    <section className="stack" aria-label="Checklist">
      <div className={styles.head}>
        <h2 className="hidden-but-read">Checklist</h2>
        <Summary plan={plan} />
        <div className="row">
          <ViewChoice view={view} choose={choose} />
          {!closed && (
            <Button kind="main" onClick={() => setAdding(true)}>
              <Plus size={16} aria-hidden="true" /> Add a task
            </Button>
          )}
        </div>
      </div>
      <Suspense fallback={null}>
        <Reservations id={id} closed={closed} />
      </Suspense>
      {plan.tasks.length === 0 ? (
        <NoTasks closed={closed} />
      ) : (
        <TaskView id={closed ? undefined : id} view={view} tasks={plan.tasks} show={show} />
      )}
      <TaskDialog
        id={id}
        closed={closed}
        tasks={plan.tasks}
        task={plan.tasks.find((task) => task.id === shown)}
        show={show}
        close={close}
      />
      {adding && <AddTask id={id} tasks={plan.tasks} close={() => setAdding(false)} />}
    </section>
  );
}

/** `/sessions/ID/plan/TASK` opens a task. */
function useTaskRoute(id: string) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [, params] = useRoute("/sessions/:id/plan/:task");
  const shown = params?.task;
  const here = `/sessions/${encodeURIComponent(id)}/plan`;
  const show = useCallback(
    (task: Task) => {
      go(`${here}/${task.id}`);
      // Notes are added without an event, so opening a task reads it again.
      void queries.invalidateQueries({ queryKey: keys.of(id, "plan") });
    },
    [go, here, id, queries],
  );
  useFocusBack(shown);
  return { shown, show, close: () => go(here) };
}

interface Shown {
  /** Undefined where nothing can be changed any more. */
  id: string | undefined;
  view: "board" | "graph";
  tasks: Task[];
  show: (task: Task) => void;
}

function TaskView({ id, view, tasks, show }: Shown) {
  if (view === "board" && id) return <MovableBoard id={id} tasks={tasks} show={show} />;
  if (view === "board") return <TaskBoard tasks={tasks} show={show} />;
  return (
    <Suspense fallback={<Loading what="the graph" />}>
      <Graph tasks={tasks} show={show} />
    </Suspense>
  );
}

function NoTasks({ closed }: { closed: boolean }) {
  return (
    <Empty icon={<ListChecks size={28} aria-hidden="true" />} title="No tasks yet">
      <p>
        {closed
          ? "Nobody planned anything here while the session was open."
          : "Agents put their plan here, with what must wait for what, and claim one task after the other. Add a task yourself to tell them what to do."}
      </p>
    </Empty>
  );
}

/** A card that moved to another column is a new one: the focus has to be brought there, after the dialog gave it back. */
function useFocusBack(shown: string | undefined): void {
  const former = useRef(shown);
  useEffect(() => {
    const left = former.current;
    former.current = shown;
    if (!left || shown) return;
    return focusIfLost(`task-${left}`);
  }, [shown]);
}
