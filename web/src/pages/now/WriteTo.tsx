import { type FormEvent, useId } from "react";
import { type AgentNow, useWriteTo } from "@/pages/now/data";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { useDraft } from "@/parts/drafts";
import { Problem } from "@/parts/Notice";
import { useToast } from "@/parts/Toasts";

/** Words for one agent alone: it finds them in its inbox, and nobody else at the table sees them. */
export function WriteTo({ agent, close }: { agent: AgentNow; close: () => void }) {
  const [text, write, forget] = useDraft(`to/${agent.session_id}/${agent.agent}`, "");
  const field = useId();
  const say = useToast();
  const { mutate, isPending, error } = useWriteTo(agent);
  const leave = () => {
    forget();
    close();
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    const done = () => {
      say(`Sent to ${agent.agent}.`);
      leave();
    };
    if (text.trim()) mutate({ content: text, kind: "message" }, { onSuccess: done });
  };
  return (
    <Dialog open close={leave} title={`Write to ${agent.agent}`}>
      <form className="stack" onSubmit={send}>
        <label htmlFor={field}>Only {agent.agent} and people see it.</label>
        <textarea id={field} rows={4} value={text} onChange={(event) => write(event.target.value)} />
        {error && <Problem of={error} />}
        <div className="row">
          <Button kind="main" type="submit" busy={isPending} disabled={!text.trim()}>
            Send
          </Button>
          <Button onClick={leave}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
