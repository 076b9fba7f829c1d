import { Bot, CornerDownRight, Ellipsis, Lock, Reply, User, Users } from "lucide-react";
import { memo, useState } from "react";
import { CopyItem, linkTo, Menu, MenuItem } from "@/pages/table/Menu";
import { Acknowledgement } from "@/pages/table/messages/Acknowledgement";
import styles from "@/pages/table/messages/messages.module.css";
import { firstLine, isPerson, type Message, PLAIN_TYPE, readers } from "@/pages/table/messages/visibility";
import { shortened } from "@/pages/table/shorten";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Markdown } from "@/parts/Markdown";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

const LONGEST = 2_000;

export interface MessageActs {
  /** Left out where nothing can be said any more. */
  reply: ((message: Message) => void) | undefined;
  thread: ((message: Message) => void) | undefined;
  redact: ((message: Message) => void) | undefined;
  address: (message: Message) => string;
}

export function addressIn(session: string): (message: Message) => string {
  return (message) => `/sessions/${encodeURIComponent(session)}/messages/${message.id}`;
}

interface Props {
  message: Message;
  /** What it answers: unread, where it is older than what was loaded. */
  parent: Message | "unread" | null;
  fresh: boolean;
  mine: boolean;
  canReply: boolean;
  /** Whether somebody came to see this one. */
  marked?: boolean;
  /** Whether it goes on in the block of the message before. */
  goesOn?: boolean;
  acts: MessageActs;
}

export const MessageCard = memo(function MessageCard(props: Props) {
  const { message, parent, fresh, mine, canReply, marked = false, goesOn = false, acts } = props;
  return (
    <article
      className={styles.message}
      tabIndex={-1}
      data-marked={marked || undefined}
      aria-current={marked || undefined}
      aria-label={`Message ${message.id} by ${message.sender}`}
      data-fresh={fresh || undefined}
      data-goes-on={goesOn || undefined}
      data-mine={mine || undefined}
      data-visibility={message.visibility}
    >
      {fresh && <span className="hidden-but-read">New since you last looked</span>}
      <Head message={message} goesOn={goesOn} acts={acts} />
      {parent && <Quoted parent={parent} />}
      <Body text={message.content} />
      <Acknowledgement message={message} />
      <Answers message={message} canReply={canReply} answers={parent !== null} acts={acts} />
    </article>
  );
});

function Answers({
  message,
  canReply,
  answers,
  acts,
}: {
  message: Message;
  canReply: boolean;
  answers: boolean;
  acts: MessageActs;
}) {
  const { reply, thread } = acts;
  if (!(reply && canReply) && !(thread && answers)) return null;
  return (
    <div className={styles.acts}>
      {reply && canReply && (
        <Button kind="quiet" small onClick={() => reply(message)}>
          <Reply size={14} aria-hidden="true" /> Reply
        </Button>
      )}
      {thread && answers && (
        <Button kind="quiet" small onClick={() => thread(message)}>
          Show thread
        </Button>
      )}
    </div>
  );
}

function SenderName({ message }: { message: Message }) {
  const person = isPerson(message.sender);
  const Icon = person ? User : Bot;
  return (
    <>
      <Icon size={16} aria-hidden="true" />
      <strong>
        <Text>{message.sender}</Text>
      </strong>
      {(person || message.sender_type !== PLAIN_TYPE) && (
        <span className="soft small">{person ? "a person" : <Text>{message.sender_type}</Text>}</span>
      )}
    </>
  );
}

function Head({ message, goesOn, acts }: { message: Message; goesOn: boolean; acts: MessageActs }) {
  const { address, redact } = acts;
  return (
    <header className={styles.head}>
      {!goesOn && <SenderName message={message} />}
      <VisibilityMark message={message} />
      <span className={`soft small ${styles.when}`}>
        <Time at={message.timestamp} />
      </span>
      <Menu small label={`Actions for message ${message.id}`} title={<Ellipsis size={16} aria-hidden="true" />}>
        <CopyItem text={message.content}>Copy the text</CopyItem>
        <CopyItem text={linkTo(address(message))}>Copy link</CopyItem>
        {redact && <MenuItem act={() => redact(message)}>Redact</MenuItem>}
      </Menu>
    </header>
  );
}

function VisibilityMark({ message }: { message: Message }) {
  const words = readers(message);
  if (!words) return null;
  const Icon = message.visibility === "private" ? Lock : Users;
  return (
    <Badge tone={message.visibility === "private" ? "warn" : "calm"}>
      <Icon size={12} aria-hidden="true" />
      <Text>{words}</Text>
    </Badge>
  );
}

function Quoted({ parent }: { parent: Message | "unread" }) {
  return (
    <p className={`${styles.quoted} soft small`}>
      <CornerDownRight size={14} aria-hidden="true" />
      <span className="clip">
        {parent === "unread" ? (
          "In reply to an earlier message"
        ) : (
          <>
            In reply to <Text>{parent.sender}</Text>: <Text>{firstLine(parent.content)}</Text>
          </>
        )}
      </span>
    </p>
  );
}

function Body({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const long = text.length > LONGEST;
  return (
    <div>
      <Markdown text={whole || !long ? text : shortened(text, LONGEST)} />
      {long && (
        <Button kind="quiet" small aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
        </Button>
      )}
    </div>
  );
}
