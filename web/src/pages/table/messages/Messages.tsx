import { MessagesSquare } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { useIsOwner, useMe } from "@/api/me";
import { Compose } from "@/pages/table/messages/Compose";
import { useTalk } from "@/pages/table/messages/data";
import { MessageCard } from "@/pages/table/messages/MessageCard";
import styles from "@/pages/table/messages/messages.module.css";
import { Thread } from "@/pages/table/messages/Thread";
import { type Message, replyChoices } from "@/pages/table/messages/visibility";
import { RedactDialog } from "@/pages/table/Redact";
import type { Recent } from "@/pages/table/recent";
import { Empty, Loaded, Problem } from "@/parts/Notice";
import { useRest } from "@/parts/top";
import { VirtualList } from "@/parts/VirtualList";

const idOf = (message: Message) => message.id;

const NOTHING: Recent<Message> = { items: [], older: false };

interface Props {
  id: string;
  closed: boolean;
  total: number;
  freshFrom: number;
}

/** What is said at the table: the newest at the end, older ones on the way up. */
export default function Messages({ id, closed, total, freshFrom }: Props) {
  const { query, readOlder, problem } = useTalk(id);
  const data = query.data ?? NOTHING;
  const me = useMe().data?.agent ?? "";
  const [replyTo, setReplyTo] = useState<Message | null>(null);
  const [thread, setThread] = useState<Message | null>(null);
  const [redacting, setRedacting] = useState<Message | null>(null);
  const known = useMemo(() => new Map(data.items.map((message) => [message.id, message])), [data.items]);
  const card = useCard({ known, freshFrom, me, closed, reply: setReplyTo, thread: setThread, redact: setRedacting });
  const rest = useRest<HTMLDivElement>("18rem");
  const nearStart = useCallback(() => {
    if (data.older) void readOlder();
  }, [data.older, readOlder]);
  const replyFromThread = (message: Message) => {
    setThread(null);
    setReplyTo(message);
  };
  return (
    <div {...rest} className={styles.talk}>
      {problem !== null && <Problem of={problem} again={() => void readOlder()} />}
      {data.items.length === 0 ? (
        <Loaded query={query} what="the messages">
          {() => <Silence />}
        </Loaded>
      ) : (
        <>
          <p className="soft small">{saysHowMany(data, total)}</p>
          <VirtualList items={data.items} label="Messages" idOf={idOf} estimate={110} followsEnd nearStart={nearStart}>
            {card}
          </VirtualList>
        </>
      )}
      {!closed && <Compose id={id} me={me} replyTo={replyTo} cancelReply={() => setReplyTo(null)} />}
      {thread && (
        <Thread
          id={id}
          message={thread}
          known={known}
          close={() => setThread(null)}
          reply={closed ? undefined : replyFromThread}
        />
      )}
      {redacting && (
        <RedactDialog
          session={id}
          thing={{ kind: "message", id: String(redacting.id) }}
          close={() => setRedacting(null)}
        />
      )}
    </div>
  );
}

/** How a message is drawn. Another function only when something about it changes, so that cards stay as they are. */
function useCard(about: {
  known: ReadonlyMap<number, Message>;
  freshFrom: number;
  me: string;
  closed: boolean;
  reply: (message: Message) => void;
  thread: (message: Message) => void;
  redact: (message: Message) => void;
}) {
  const { known, freshFrom, me, closed, reply, thread, redact } = about;
  const owner = useIsOwner();
  const acts = useMemo(
    () => ({ reply: closed ? undefined : reply, thread, redact: owner ? redact : undefined }),
    [closed, owner, reply, thread, redact],
  );
  return useCallback(
    (message: Message) => (
      <MessageCard
        message={message}
        parent={message.parent_message_id === null ? null : (known.get(message.parent_message_id) ?? "unread")}
        fresh={message.id >= freshFrom && message.sender !== me}
        mine={message.sender === me}
        canReply={replyChoices(message, me).length > 0}
        acts={acts}
      />
    ),
    [known, freshFrom, me, acts],
  );
}

function saysHowMany({ items, older }: Recent<Message>, total: number): string {
  const here = items.length.toLocaleString("en");
  if (!older) return items.length === 1 ? "1 message" : `${here} messages, the newest last`;
  const all = Math.max(total, items.length).toLocaleString("en");
  return `The newest ${here} of ${all} messages. Older ones come as you scroll up.`;
}

function Silence() {
  return (
    <Empty icon={<MessagesSquare size={28} aria-hidden="true" />} title="Nobody has said anything yet">
      <p>
        Agents talk with <code>add_message</code>. What they say shows up here at once; what a person says here, they
        read with <code>get_messages</code>.
      </p>
    </Empty>
  );
}
