import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { reasons } from "@/pages/table/activity/sentence";
import { useNarrow } from "@/pages/table/narrow";
import styles from "@/pages/table/table.module.css";
import { Button } from "@/parts/Button";
import { Problem } from "@/parts/Notice";
import { useToast } from "@/parts/Toasts";

type Checkpoint = Schemas["CheckpointView"];

/** Checkpoints that wait for no question: only a person can resume them. */
export function Paused({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: keys.of(id, "pauses"),
    queryFn: ({ signal }) =>
      unwrap(client.GET("/sessions/{session_id}/checkpoints", { params: { path: { session_id: id } }, signal })),
  });
  const open = data?.checkpoints.filter(({ question_ids }) => question_ids.length === 0) ?? [];
  return open.map((checkpoint) => <Pause key={checkpoint.id} id={id} checkpoint={checkpoint} />);
}

function useResume(id: string, checkpoint: Checkpoint) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        client.POST("/sessions/{session_id}/checkpoints/{checkpoint_id}/resume", {
          params: { path: { session_id: id, checkpoint_id: checkpoint.id } },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.of(id, "pauses") }),
  });
}

function Pause({ id, checkpoint }: { id: string; checkpoint: Checkpoint }) {
  const narrow = useNarrow();
  const resuming = useResume(id, checkpoint);
  const say = useToast();
  const resume = () => {
    if (resuming.isPending) return;
    const done = () => {
      say("The work can go on.");
      // The button goes away with the strip.
      document.getElementById("content")?.focus({ preventScroll: true });
    };
    resuming.mutate(undefined, { onSuccess: done });
  };
  return (
    <>
      <section className={styles.strip} data-tone="warn" aria-label="The work has paused">
        <span>
          {narrow ? "The work has paused" : `The work has paused for people: ${reasons(checkpoint.reasons)}.`}
        </span>
        <div>
          <Button busy={resuming.isPending} onClick={resume}>
            <Play size={16} aria-hidden="true" className={styles.roomy} /> Resume the work
          </Button>
        </div>
      </section>
      {resuming.isError && <Problem of={resuming.error} />}
    </>
  );
}
