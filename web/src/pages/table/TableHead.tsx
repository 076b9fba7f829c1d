import { ArrowLeft, MessageCircleQuestion } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useNarrow } from "@/pages/table/narrow";
import { openQuestionsText } from "@/pages/table/openQuestions";
import { Participants, type TableView } from "@/pages/table/Participants";
import { Paused } from "@/pages/table/Paused";
import { SessionMenu } from "@/pages/table/SessionMenu";
import styles from "@/pages/table/table.module.css";
import { Badge, type Tone } from "@/parts/Badge";
import { Notice } from "@/parts/Notice";
import { Progress } from "@/parts/Progress";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";
import { PageHead } from "@/shell/PageHead";

const TONES: Record<TableView["status"], Tone> = { active: "good", closed: "plain", expired: "warn" };

/** Purpose, status and participants of the session, and what it waits for. */
export function TableHead({ session, at, children }: { session: TableView; at: string; children: ReactNode }) {
  return (
    <div className={styles.head}>
      <Link href="/sessions" className={styles.back}>
        <ArrowLeft size={14} aria-hidden="true" /> All sessions
      </Link>
      <PageHead title={<Text>{session.purpose || session.session_id}</Text>}>
        <SessionMenu session={session} />
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
