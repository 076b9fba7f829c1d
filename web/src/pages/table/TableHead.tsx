import { ArrowLeft, MessageCircleQuestion } from "lucide-react";
import { Link } from "wouter";
import type { Schemas } from "@/api/client";
import { Seats } from "@/pages/table/Seats";
import { SessionMenu } from "@/pages/table/SessionMenu";
import styles from "@/pages/table/table.module.css";
import { Badge, type Tone } from "@/parts/Badge";
import { Notice } from "@/parts/Notice";
import { Progress } from "@/parts/Progress";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";
import { PageHead } from "@/shell/PageHead";

type Session = Schemas["TableView"];

const TONES: Record<Session["status"], Tone> = { active: "good", closed: "plain", expired: "warn" };

/** What the session is for, how it stands, who is there, and what it waits for. */
export function TableHead({ session, at }: { session: Session; at: string }) {
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
        {session.tasks.total > 0 && <Done session={session} />}
        {session.status !== "closed" && (
          <span>
            {session.status === "expired" ? "Expired" : "Expires"} <Time at={session.expires_at} />
          </span>
        )}
        {session.purpose && <span className="mono">{session.session_id}</span>}
      </div>
      <Seats session={session} />
      {session.status !== "active" && <Archive status={session.status} />}
      {session.status === "active" && session.open_questions > 0 && !at.endsWith("/questions") && (
        <Asks session={session} />
      )}
    </div>
  );
}

function Done({ session: { tasks, progress } }: { session: Session }) {
  const wanted = tasks.total - tasks.cancelled;
  return (
    <>
      <Progress value={progress} label="Progress of the plan" />
      <span>
        {tasks.completed} of {wanted} tasks done
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

function Asks({ session }: { session: Session }) {
  const { open_questions: open, blocking_questions: blocking } = session;
  return (
    <div className={styles.strip} data-tone={blocking > 0 ? "warn" : undefined} role="status">
      <span>
        {open === 1 ? "1 question waits" : `${open} questions wait`} for an answer
        {blocking > 0 &&
          (blocking === open
            ? ", and work stands still"
            : `, ${blocking} of them ${blocking === 1 ? "blocks" : "block"} the work`)}
        .
      </span>
      <Link href={`/sessions/${encodeURIComponent(session.session_id)}/questions`} className="button">
        <MessageCircleQuestion size={16} aria-hidden="true" /> Answer here
      </Link>
    </div>
  );
}
