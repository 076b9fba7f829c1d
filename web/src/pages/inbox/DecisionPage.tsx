import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { Link } from "wouter";
import { ApiError, client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { Arguments } from "@/pages/inbox/Arguments";
import type { Decision } from "@/pages/inbox/data";
import { SessionByPurpose } from "@/pages/inbox/InboxCard";
import styles from "@/pages/inbox/inbox.module.css";
import { linkTo } from "@/pages/table/Menu";
import { Badge } from "@/parts/Badge";
import { Copy } from "@/parts/Copy";
import { Empty, Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";
import { PageHead } from "@/shell/PageHead";

function useDecision(id: string) {
  return useQuery({
    queryKey: [...keys.decisions, id],
    queryFn: async ({ signal }) =>
      (await unwrap(client.GET("/decisions/{decision_id}", { params: { path: { decision_id: id } }, signal })))
        .decision,
  });
}

/** `/decisions/ID`: what was asked and what was said to it. While it waits, the way to where it is decided. */
export default function DecisionPage({ id }: { id: string }) {
  const decision = useDecision(id);
  const gone = decision.error instanceof ApiError && [400, 404].includes(decision.error.status);
  return (
    <div className={`page ${styles.page}`}>
      <Link href="/inbox" className={styles.up}>
        <ArrowLeft size={15} aria-hidden="true" /> Inbox
      </Link>
      <PageHead title={`Decision ${id}`}>
        <Copy text={linkTo(`/decisions/${encodeURIComponent(id)}`)} label="Copy link" />
      </PageHead>
      {gone ? (
        <Empty title="There is no such decision" />
      ) : (
        <Loaded query={decision} what="the decision">
          {(found) => <DecisionFacts of={found} />}
        </Loaded>
      )}
    </div>
  );
}

const STATES: Record<string, { word: string; tone: "good" | "bad" | "warn" | "plain" | "mark" }> = {
  waiting: { word: "Waits for a person", tone: "mark" },
  approved: { word: "Approved", tone: "good" },
  used: { word: "Approved, and the call was made", tone: "good" },
  denied: { word: "Denied", tone: "bad" },
  expired: { word: "Its time ran out", tone: "plain" },
};

function DecisionFacts({ of: decision }: { of: Decision }) {
  const { word, tone } = STATES[decision.status] ?? { word: decision.status, tone: "plain" };
  const { decided_by, reason } = decision;
  return (
    <div className="stack">
      <p className="row">
        <Badge tone={tone}>{word}</Badge>
        {decision.status === "waiting" && (
          <Link href={`/inbox/approval/${encodeURIComponent(decision.id)}`} className="button">
            Decide it
          </Link>
        )}
      </p>
      <dl className={styles.facts}>
        <dt>Asked by</dt>
        <dd>
          <Text>{decision.requested_by}</Text>, <Time at={decision.requested_at} />
          {decision.session_id && (
            <>
              , in <SessionByPurpose id={decision.session_id} />
            </>
          )}
        </dd>
        <dt>Tool</dt>
        <dd>
          <code>
            <Text>{decision.identity}</Text>
          </code>{" "}
          of <Text>{decision.upstream}</Text>
        </dd>
        <Said name="Why" text={decision.why} />
        {decided_by && (
          <>
            <dt>Decided by</dt>
            <dd>
              <Text>{decision.relayed ? `the client of ${decided_by}` : decided_by}</Text>,{" "}
              <Time at={decision.decided_at} />
            </dd>
          </>
        )}
        <Said name="Reason" text={reason} />
      </dl>
      <Arguments text={decision.arguments_text} label={`Arguments of ${decision.identity}, ${decision.id}`} />
    </div>
  );
}

function Said({ name, text }: { name: string; text: string | null | undefined }) {
  if (!text) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Text>{text}</Text>
      </dd>
    </>
  );
}
