import { MessagesSquare } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { useIsOwner, useMe } from "@/api/me";
import { Compose } from "@/pages/table/messages/Compose";
import { useTalk } from "@/pages/table/messages/data";
import { FindMessages } from "@/pages/table/messages/FindMessages";
import { addressIn, MessageCard } from "@/pages/table/messages/MessageCard";
import styles from "@/pages/table/messages/messages.module.css";
import { Thread } from "@/pages/table/messages/Thread";
import { goesOn, type Message, replyChoices } from "@/pages/table/messages/visibility";
import { RedactDialog } from "@/pages/table/Redact";
import type { Recent } from "@/pages/table/recent";
import { useSearchParam } from "@/parts/address";
import { Button } from "@/parts/Button";
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
  const [, go] = useLocation();
  const [, params] = useRoute("/sessions/:id/messages/:message");
  const [threadIn, setThreadIn] = useSearchParam("thread");
  // A link to a thread opens it among what was said around it; one that is opened here leaves the list as it is.
  const [arrivedAt] = useState(() => numbered(threadIn));
  const marked = numbered(params?.message) ?? arrivedAt;
  const { query, readOlder, readNewer, problem } = useTalk(id, marked);
  const data = query.data ?? NOTHING;
  const me = useMe().data?.agent ?? "";
  const [replyTo, setReplyTo] = useState<Message | null>(null);
  const [redacting, setRedacting] = useState<Message | null>(null);
  const known = useMemo(() => new Map(data.items.map((message) => [message.id, message])), [data.items]);
  const thread = known.get(numbered(threadIn) ?? 0);
  const setThread = useCallback((message: Message | null) => setThreadIn(String(message?.id ?? "")), [setThreadIn]);
  const card = useCard({
    id,
    marked,
    known,
    items: data.items,
    freshFrom,
    me,
    closed,
    reply: setReplyTo,
    thread: setThread,
    redact: setRedacting,
  });
  const rest = useRest<HTMLDivElement>("20rem");
  const nearStart = useCallback(() => {
    if (data.older) void readOlder();
  }, [data.older, readOlder]);
  const nearEnd = useCallback(() => void (data.newer && readNewer()), [data.newer, readNewer]);
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
        <FindMessages id={id}>
          {marked === undefined ? (
            <p className={`soft small ${styles.count}`}>{saysHowMany(data, total)}</p>
          ) : (
            <AroundMessage
              marked={marked}
              known={known}
              all={() => go(`/sessions/${encodeURIComponent(id)}/messages`)}
            />
          )}
          <VirtualList
            key={marked}
            items={data.items}
            label="Messages"
            idOf={idOf}
            estimate={110}
            followsEnd={!data.newer}
            nearStart={nearStart}
            nearEnd={nearEnd}
            reveal={marked}
          >
            {card}
          </VirtualList>
        </FindMessages>
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

function numbered(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function AroundMessage(props: { marked: number; known: ReadonlyMap<number, Message>; all: () => void }) {
  const { marked, known, all } = props;
  return (
    <div className="row" role="status">
      <span className="small">
        {known.has(marked) ? `Message ${marked} and what was said around it.` : `There is no message ${marked}.`}
      </span>
      <Button small onClick={all}>
        To the newest messages
      </Button>
    </div>
  );
}

/** How a message is drawn. Another function only when something about it changes, so that cards stay as they are. */
function useCard(about: {
  id: string;
  marked: number | undefined;
  known: ReadonlyMap<number, Message>;
  items: Message[];
  freshFrom: number;
  me: string;
  closed: boolean;
  reply: (message: Message) => void;
  thread: (message: Message) => void;
  redact: (message: Message) => void;
}) {
  const { id, marked, known, items, freshFrom, me, closed, reply, thread, redact } = about;
  const owner = useIsOwner();
  const acts = useMemo(
    () => ({
      reply: closed ? undefined : reply,
      thread,
      redact: owner ? redact : undefined,
      address: addressIn(id),
    }),
    [id, closed, owner, reply, thread, redact],
  );
  return useCallback(
    (message: Message, index: number) => (
      <MessageCard
        message={message}
        parent={message.parent_message_id === null ? null : (known.get(message.parent_message_id) ?? "unread")}
        fresh={message.id >= freshFrom && message.sender !== me}
        mine={message.sender === me}
        canReply={replyChoices(message, me).length > 0}
        marked={message.id === marked}
        goesOn={goesOn(message, items[index - 1])}
        acts={acts}
      />
    ),
    [marked, known, items, freshFrom, me, acts],
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
