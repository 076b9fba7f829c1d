import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Send, X } from "lucide-react";
import { type KeyboardEvent, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import styles from "@/pages/table/messages/messages.module.css";
import { CHOICES, firstLine, type Message, replyChoices, type Visibility } from "@/pages/table/messages/visibility";
import { Button } from "@/parts/Button";
import { useDraft } from "@/parts/drafts";
import { Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

const ALL: Visibility[] = ["public", "agent_only", "private"];

interface Props {
  id: string;
  me: string;
  replyTo: Message | null;
  cancelReply: () => void;
}

/** A person says something. */
export function Compose({ id, me, replyTo, cancelReply }: Props) {
  const [text, write, forget] = useDraft(`message/${id}`, "");
  const [wanted, setWanted] = useState<Visibility>("public");
  const box = useRef<HTMLTextAreaElement>(null);
  const names = { text: useId(), visibility: useId() };
  const choices = replyTo ? replyChoices(replyTo, me) : ALL;
  const visibility = choices.includes(wanted) ? wanted : (choices[0] ?? "private");
  useEffect(() => {
    if (replyTo) box.current?.focus();
  }, [replyTo]);
  const sending = useSending(id, () => {
    forget();
    cancelReply();
    box.current?.focus();
  });
  const send = (event?: SyntheticEvent) => {
    event?.preventDefault();
    if (text.trim() && !sending.isPending)
      sending.mutate({
        content: text,
        visibility,
        ...(replyTo ? { parent_message_id: replyTo.id } : {}),
      });
  };
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
  };
  return (
    <form className={styles.compose} onSubmit={send} aria-label="Say something">
      {replyTo && <Replying to={replyTo} cancel={cancelReply} />}
      <label htmlFor={names.text} className="hidden-but-read">
        Your message
      </label>
      <textarea
        ref={box}
        id={names.text}
        rows={2}
        value={text}
        placeholder="Say something to the table"
        onChange={(event) => write(event.target.value)}
        onKeyDown={sendByKey}
      />
      <div className={styles.send}>
        <label htmlFor={names.visibility} className={styles.whose}>
          Who can read it
        </label>
        <select
          id={names.visibility}
          value={visibility}
          onChange={(event) => setWanted(choices.find((choice) => choice === event.target.value) ?? "public")}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {CHOICES[choice]}
            </option>
          ))}
        </select>
        <Button kind="main" type="submit" busy={sending.isPending} disabled={!text.trim()} title="Ctrl+Enter">
          <Send size={16} aria-hidden="true" /> Send
        </Button>
      </div>
      {sending.error && <Problem of={sending.error} />}
    </form>
  );
}

function Replying({ to, cancel }: { to: Message; cancel: () => void }) {
  return (
    <div className={styles.replying}>
      <span className="clip small">
        Reply to <Text>{to.sender}</Text>: <Text>{firstLine(to.content)}</Text>
      </span>
      <Button kind="quiet" small aria-label="Do not reply to this message" onClick={cancel}>
        <X size={16} aria-hidden="true" />
      </Button>
    </div>
  );
}

interface NewMessage {
  content: string;
  visibility: Visibility;
  parent_message_id?: number;
}

function useSending(id: string, sent: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewMessage) =>
      unwrap(client.POST("/sessions/{session_id}/messages", { params: { path: { session_id: id } }, body })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: keys.of(id, "messages") });
      sent();
    },
  });
}
