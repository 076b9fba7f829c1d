import { ArrowLeft, ChevronDown, ChevronUp, MessageCircleQuestion } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { useFolded } from "@/pages/table/folding";
import { useNarrow } from "@/pages/table/narrow";
import { openQuestionsText } from "@/pages/table/openQuestions";
import { Participants, type TableView } from "@/pages/table/Participants";
import { Paused } from "@/pages/table/Paused";
import { SessionMenu } from "@/pages/table/SessionMenu";
import styles from "@/pages/table/table.module.css";
import { Badge, type Tone } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Notice } from "@/parts/Notice";
import { Progress } from "@/parts/Progress";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";
import { PageHead } from "@/shell/PageHead";

const TONES: Record<TableView["status"], Tone> = { active: "good", closed: "plain", expired: "warn" };

/** A purpose of more characters is shown in part: it would push what it is about out of the window. */
const LONG = 160;

interface Props {
  session: TableView;
  at: string;
  children: ReactNode;
}

/** Purpose, status and participants of the session, and what it waits for; or all of it in one line. */
export function TableHead(props: Props) {
  const [folded, fold] = useFolded(props.at);
  const toggle = <HeadFoldButton folded={folded} fold={fold} />;
  return folded ? <FoldedHead {...props} toggle={toggle} /> : <WholeHead {...props} toggle={toggle} />;
}

function HeadFoldButton({ folded, fold }: { folded: boolean; fold: (folded: boolean) => void }) {
  const Icon = folded ? ChevronDown : ChevronUp;
  return (
    <Button
      kind="quiet"
      small
      aria-expanded={!folded}
      aria-label="Head of the session"
      title={folded ? "Show the head" : "Fold the head"}
      onClick={() => fold(!folded)}
    >
      <Icon size={18} aria-hidden="true" />
    </Button>
  );
}

function FoldedHead({ session, at, toggle }: Props & { toggle: ReactNode }) {
  const active = session.status === "active";
  const asks = active && session.open_questions > 0 && !at.endsWith("/questions");
  return (
    <div className={styles.folded}>
      <div className={styles.line}>
        <Link href="/sessions" aria-label="All sessions" title="All sessions" className={styles.back}>
          <ArrowLeft size={16} aria-hidden="true" />
        </Link>
        <PageHead title={<Text>{session.purpose || session.session_id}</Text>} />
        {!active && <Badge tone={TONES[session.status]}>{session.status}</Badge>}
        {asks && (
          <Link href={`/sessions/${encodeURIComponent(session.session_id)}/questions`} className={styles.asks}>
            {session.open_questions} open
            <span className="hidden-but-read"> questions</span>
          </Link>
        )}
        <SessionMenu session={session} />
        {toggle}
      </div>
      {active && <Paused id={session.session_id} />}
    </div>
  );
}

function WholeHead({ session, at, children, toggle }: Props & { toggle: ReactNode }) {
  const long = session.purpose.length > LONG;
  const [whole, setWhole] = useState(false);
  return (
    <div className={styles.head} data-shortened={(long && !whole) || undefined}>
      <Link href="/sessions" className={styles.back}>
        <ArrowLeft size={14} aria-hidden="true" /> All sessions
      </Link>
      <PageHead title={<Text>{session.purpose || session.session_id}</Text>}>
        <SessionMenu session={session} />
        {toggle}
      </PageHead>
      <div className={styles.facts}>
        <Badge tone={TONES[session.status]}>{session.status}</Badge>
        {session.tasks.total > 0 && <PlanProgress session={session} />}
        {session.status !== "closed" && (
          <span>
            {session.status === "expired" ? "Expired" : "Expires"} <Time at={session.expires_at} />
          </span>
        )}
        {session.purpose && <span className={`mono ${styles.roomy}`}>{session.session_id}</span>}
        {long && (
          <Button kind="quiet" small aria-expanded={whole} onClick={() => setWhole(!whole)}>
            The whole purpose
          </Button>
        )}
      </div>
      <Participants session={session} />
      <div className={styles.strips}>
        {session.status !== "active" && <Archive status={session.status} />}
        {session.status === "active" && session.open_questions > 0 && !at.endsWith("/questions") && (
          <OpenQuestions session={session} />
        )}
        {session.status === "active" && <Paused id={session.session_id} />}
        {children}
      </div>
    </div>
  );
}

function PlanProgress({ session: { tasks, progress } }: { session: TableView }) {
  const planned = tasks.total - tasks.cancelled;
  return (
    <>
      <Progress value={progress} label="Progress of the plan" />
      <span>
        {tasks.completed} of {planned} <span className={styles.roomy}>{planned === 1 ? "task" : "tasks"} </span>done
      </span>
    </>
  );
}

function Archive({ status }: { status: "closed" | "expired" }) {
  return (
    <Notice tone="warn">
      <span>
        {status === "closed"
          ? "This session is closed. Everything in it can be read, nothing can be changed any more."
          : "The time of this session is over. This is its archive: everything can be read, nothing can be changed."}
      </span>
    </Notice>
  );
}

function OpenQuestions({ session }: { session: TableView }) {
  const narrow = useNarrow();
  const { open_questions: open, blocking_questions: blocking } = session;
  return (
    <div className={styles.strip} data-tone={blocking > 0 ? "warn" : undefined} role="status">
      <span>{openQuestionsText(open, blocking, narrow)}</span>
      <Link href={`/sessions/${encodeURIComponent(session.session_id)}/questions`} className="button">
        <MessageCircleQuestion size={16} aria-hidden="true" className={styles.roomy} /> Answer here
      </Link>
    </div>
  );
}
