import { useMe } from "@/api/me";
import { linkTo } from "@/pages/table/Menu";
import { LONGEST_THREAD, threaded, useThread } from "@/pages/table/messages/data";
import { addressIn, MessageCard } from "@/pages/table/messages/MessageCard";
import styles from "@/pages/table/messages/messages.module.css";
import { type Message, replyChoices } from "@/pages/table/messages/visibility";
import { Copy } from "@/parts/Copy";
import { Dialog } from "@/parts/Dialog";
import { Loaded } from "@/parts/Notice";

const INDENTS = [undefined, styles.depth1, styles.depth2, styles.depth3, styles.depth4];

/** A message with all that it answers and all that answers it. */
export function Thread({
  id,
  message,
  known,
  close,
  reply,
}: {
  id: string;
  message: Message;
  known: ReadonlyMap<number, Message>;
  close: () => void;
  reply: ((message: Message) => void) | undefined;
}) {
  const query = useThread(id, message, known);
  const me = useMe().data?.agent ?? "";
  const acts = { reply, thread: undefined, redact: undefined, address: addressIn(id) };
  return (
    <Dialog open close={close} title="Thread">
      <Loaded query={query} what="the thread">
        {({ messages, has_more }) => (
          <div className="stack">
            <div>
              <Copy
                text={linkTo(`/sessions/${encodeURIComponent(id)}/messages?thread=${message.id}`)}
                label="Copy link"
              />
            </div>
            <ul className={`plain-list ${styles.thread}`} aria-label="Messages of the thread">
              {threaded(messages).map((entry) => (
                <li key={entry.message.id} className={INDENTS[entry.depth]}>
                  <MessageCard
                    message={entry.message}
                    parent={null}
                    fresh={entry.message.id === message.id}
                    mine={entry.message.sender === me}
                    canReply={replyChoices(entry.message, me).length > 0}
                    acts={acts}
                  />
                </li>
              ))}
            </ul>
            {has_more && <p className="soft small">The first {LONGEST_THREAD} messages of the thread are shown.</p>}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
