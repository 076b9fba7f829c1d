import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { nextExpiry, type Task } from "@/pages/table/checklist/board";
import { bodyOfMove, type Move } from "@/pages/table/checklist/moving";
import { LONGEST_TIMER } from "@/parts/timers";

export function usePlan(id: string) {
  const queries = useQueryClient();
  const plan = useQuery({
    queryKey: keys.of(id, "plan"),
    queryFn: ({ signal }) =>
      unwrap(client.GET("/sessions/{session_id}/plan", { params: { path: { session_id: id } }, signal })),
  });
  const { data, dataUpdatedAt } = plan;
  useEffect(() => {
    const expiry = nextExpiry(data?.tasks ?? [], dataUpdatedAt);
    if (expiry === undefined) return;
    // A little later than the server's clock would have it, so that one reading is enough.
    const wait = Math.min(Math.max(expiry - Date.now(), 0) + 500, LONGEST_TIMER);
    const timer = setTimeout(() => void queries.invalidateQueries({ queryKey: keys.of(id, "plan") }), wait);
    return () => clearTimeout(timer);
  }, [data, dataUpdatedAt, id, queries]);
  return plan;
}

/** Agents that a task can be assigned to. */
export function useAgents(id: string): string[] {
  const overview = useQuery({
    queryKey: keys.of(id, "overview"),
    queryFn: ({ signal }) =>
      unwrap(client.GET("/sessions/{session_id}/overview", { params: { path: { session_id: id } }, signal })),
  });
  return overview.data?.session.agents.map((agent) => agent.agent) ?? [];
}

function usePlanChanged(id: string): () => void {
  const queries = useQueryClient();
  return () => {
    void queries.invalidateQueries({ queryKey: keys.of(id, "plan") });
    void queries.invalidateQueries({ queryKey: keys.of(id, "overview") });
  };
}

export function useUpdateTask(id: string, taskId: string) {
  const changed = usePlanChanged(id);
  return useMutation({
    mutationFn: (body: Schemas["UpdateTask"]) =>
      unwrap(
        client.POST("/sessions/{session_id}/tasks/{task_id}", {
          params: { path: { session_id: id, task_id: taskId } },
          body,
        }),
      ),
    // A refusal also means that what is shown here is old.
    onSettled: changed,
  });
}

/** Shown at once; if it is refused, the plan is as it was. */
export function useMoveTask(id: string) {
  const queries = useQueryClient();
  const changed = usePlanChanged(id);
  const plan = keys.of(id, "plan");
  return useMutation({
    mutationFn: ({ move, force }: { move: Move; force: boolean }) =>
      unwrap(
        client.POST("/sessions/{session_id}/tasks/{task_id}", {
          params: { path: { session_id: id, task_id: move.task.id } },
          body: bodyOfMove(move, force),
        }),
      ),
    onMutate: async ({ move: { task, status = task.status, priority = task.priority } }) => {
      await queries.cancelQueries({ queryKey: plan });
      queries.setQueryData<Schemas["PlanRead"]>(plan, (before) => {
        const moved = (other: Task) => (other.id === task.id ? { ...other, status, priority, ready: false } : other);
        return before && { ...before, tasks: before.tasks.map(moved) };
      });
    },
    onSettled: changed,
  });
}

export function useAddTask(id: string) {
  const changed = usePlanChanged(id);
  return useMutation({
    mutationFn: (task: Schemas["TaskToAdd"]) =>
      unwrap(
        client.POST("/sessions/{session_id}/tasks", {
          params: { path: { session_id: id } },
          body: { tasks: [task] },
        }),
      ),
    onSuccess: changed,
  });
}
