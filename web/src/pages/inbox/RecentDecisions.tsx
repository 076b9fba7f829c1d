import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { client, unwrap } from "@/api/client";
import { useMe } from "@/api/me";
import { keys } from "@/api/queries";
import { type Decided, recentDecisions } from "@/pages/inbox/decided";
import { SessionByPurpose } from "@/pages/inbox/InboxCard";
import styles from "@/pages/inbox/inbox.module.css";
import { Badge } from "@/parts/Badge";
import { Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

/** The route gives answered questions by their urgency, so that the last ones are found only among many. */
const MANY = 500;

function useRecentDecisions() {
  const gateway = useMe().data?.features.gateway === true;
  const questions = useQuery({
    queryKey: [...keys.questions, "answered"],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/questions", { params: { query: { status: "answered", limit: MANY } }, signal })),
  });
  const decisions = useQuery({
    queryKey: [...keys.decisions, "all"],
    enabled: gateway,
    queryFn: ({ signal }) => unwrap(client.GET("/decisions", { params: { query: { limit: 50 } }, signal })),
  });
  const ready = questions.data && (decisions.data || !gateway);
  return {
    data: ready ? recentDecisions(questions.data.questions, decisions.data?.decisions ?? []) : undefined,
    error: questions.error ?? decisions.error,
    refetch: () => Promise.all([questions.refetch(), decisions.refetch()]),
  };
}

/** What was decided last: to look up what one said an hour ago. */
export function RecentDecisions() {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles.fold} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Decided lately</h2>
      </summary>
      {open && <RecentDecisionList />}
    </details>
  );
}

function RecentDecisionList() {
  return (
    <Loaded query={useRecentDecisions()} what="what was decided">
      {(decided) =>
        decided.length === 0 ? (
          <p className="soft">Nothing yet. What you answer, approve or deny is listed here.</p>
        ) : (
          <ul className={`plain-list ${styles.lately}`} aria-label="Decided lately">
            {decided.map((one) => (
              <li key={one.id}>
                <RecentDecision of={one} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function RecentDecision({ of: one }: { of: Decided }) {
  return (
    <>
      <p>
        <Badge tone={one.tone}>{one.word}</Badge>{" "}
        <Link href={one.address}>
          <Text>{one.about}</Text>
        </Link>
      </p>
      {one.said && (
        <p className={styles.said}>
          <Text>{one.said}</Text>
        </p>
      )}
      <p className="soft small">
        <Text>{one.by}</Text>, <Time at={one.at} />
        {one.sessionId && (
          <>
            , in <SessionByPurpose id={one.sessionId} {...(one.purpose && { purpose: one.purpose })} />
          </>
        )}
      </p>
    </>
  );
}
