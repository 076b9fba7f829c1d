import { useCallback, useState } from "react";
import { nameOf, type Task } from "@/pages/table/checklist/board";
import { useMoveTask } from "@/pages/table/checklist/data";
import { type Move, moveInWords, needsConfirmation } from "@/pages/table/checklist/moving";
import { TaskBoard } from "@/pages/table/checklist/TaskBoard";
import { Confirm } from "@/parts/Confirm";
import { focusIfLost } from "@/parts/focus";
import { useErrorToast, useToast } from "@/parts/Toasts";

/** The board, whose tasks a person moves: by dragging, by the menu of a card, or by Shift and an arrow key. */
export function MovableBoard({ id, tasks, show }: { id: string; tasks: Task[]; show: (task: Task) => void }) {
  const [pending, setPending] = useState<Move>();
  const { mutate } = useMoveTask(id);
  const say = useToast();
  const sayProblem = useErrorToast();
  const make = useCallback(
    (move: Move, force: boolean) => {
      mutate({ move, force }, { onSuccess: () => say(moveInWords(move)), onError: sayProblem });
      // A card that moved to another column is a new one.
      focusIfLost(`task-${move.task.id}`);
    },
    [mutate, say, sayProblem],
  );
  const move = useCallback((next: Move) => (needsConfirmation(next) ? setPending(next) : make(next, false)), [make]);
  return (
    <>
      <TaskBoard tasks={tasks} show={show} move={move} />
      {pending && (
        <Confirm
          open
          close={() => setPending(undefined)}
          title={`Do ${pending.task.id} before what it waits for?`}
          about={`${nameOf(pending.task)} waits for ${pending.task.blocked_by.join(", ")}. That you do it anyway is recorded as a note.`}
          action="Do it anyway"
          busy={false}
          problem={null}
          act={() => {
            setPending(undefined);
            make(pending, true);
          }}
        />
      )}
    </>
  );
}
