import { Archive, Clock, Download, MessageCircleQuestion, Users } from "lucide-react";
import { type RefObject, useLayoutEffect, useRef } from "react";
import { Link } from "wouter";
import { useIsOwner } from "@/api/me";
import type { Session } from "@/pages/sessions/data";
import styles from "@/pages/sessions/sessions.module.css";
import { firstNames, planOf, questionsOf, titleOf } from "@/pages/sessions/words";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Progress } from "@/parts/Progress";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

export type SessionAction = "extend" | "close" | "export";

export function SessionRow({
  session,
  act,
}: {
  session: Session;
  act: (act: SessionAction, session: Session) => void;
}) {
  const row = useRef<HTMLElement>(null);
  useFocusPassedOn(row);
  return (
    <article ref={row} className={`card ${styles.row}`} aria-label={titleOf(session)}>
      <div className={styles.what}>
        <h2>
          <Link href={`/sessions/${encodeURIComponent(session.session_id)}`}>
            <Text>{titleOf(session)}</Text>
          </Link>
        </h2>
        <Agents of={session} />
      </div>
      <SessionProgress of={session} />
      <div className={styles.times}>
        <OpenQuestionCount of={session} />
        <Times of={session} />
      </div>
      <Acts session={session} act={act} />
    </article>
  );
}

/** A row that leaves the list hands the focus to its neighbour. */
function useFocusPassedOn(row: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = row.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const item = element.closest("li");
      const link = (item?.nextElementSibling ?? item?.previousElementSibling)?.querySelector("a");
      (link ?? document.getElementById("content"))?.focus();
    };
  }, [row]);
}

function Agents({ of: session }: { of: Session }) {
  const { names, more } = firstNames(session);
  return (
    <p className={`soft small ${styles.agents}`}>
      <Users size={14} aria-hidden="true" />
      {names.length === 0 && "Nobody has sat down yet"}
      {names.map((name, index) => (
        <span key={name}>
          <Text>{name}</Text>
          {(index < names.length - 1 || more > 0) && ","}
        </span>
      ))}
      {more > 0 && <span>{more} more</span>}
    </p>
  );
}

function SessionProgress({ of: session }: { of: Session }) {
  const { done, of } = planOf(session);
  if (of === 0) return <p className={`soft small ${styles.plan}`}>No plan yet</p>;
  return (
    <div className={styles.plan}>
      <Progress value={session.progress} label={`Plan of ${titleOf(session)}`} />
      <span className="soft small">
        {done} of {of} {of === 1 ? "task" : "tasks"} done
      </span>
    </div>
  );
}

function OpenQuestionCount({ of: session }: { of: Session }) {
  if (session.open_questions === 0) return null;
  return (
    <Badge tone={session.blocking_questions > 0 ? "mark" : "plain"}>
      <MessageCircleQuestion size={14} aria-hidden="true" />
      {questionsOf(session)}
    </Badge>
  );
}

const ENDS: Record<Session["status"], string> = { active: "Expires", closed: "Closed", expired: "Expired" };

function Times({ of: session }: { of: Session }) {
  return (
    <p className="soft small">
      Active <Time at={session.last_activity_at} />
      <br />
      {ENDS[session.status]} {session.status !== "closed" && <Time at={session.expires_at} />}
    </p>
  );
}

function Acts({ session, act }: { session: Session; act: (act: SessionAction, session: Session) => void }) {
  const owner = useIsOwner();
  const active = session.status === "active";
  const title = titleOf(session);
  return (
    <div className={styles.acts}>
      {active && (
        <Button small kind="quiet" onClick={() => act("extend", session)} aria-label={`Extend ${title}`}>
          <Clock size={14} aria-hidden="true" /> Extend
        </Button>
      )}
      {owner && (
        <Button small kind="quiet" onClick={() => act("export", session)} aria-label={`Export ${title}`}>
          <Download size={14} aria-hidden="true" /> Export
        </Button>
      )}
      {owner && active && (
        <Button small kind="quiet" onClick={() => act("close", session)} aria-label={`Close ${title}`}>
          <Archive size={14} aria-hidden="true" /> Close
        </Button>
      )}
    </div>
  );
}
