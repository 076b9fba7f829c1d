import { ArrowLeft, FileQuestion } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ApiError } from "@/api/client";
import { OutcomeBadge } from "@/pages/gateway/Calls";
import { type CallDetail, useCall } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { decisionInWords, duration, exact, titleOfLayer, whoConfirms } from "@/pages/gateway/words";
import { Arguments } from "@/pages/inbox/Arguments";
import { linkTo } from "@/pages/table/Menu";
import { Copy } from "@/parts/Copy";
import { Empty, Loaded, Notice } from "@/parts/Notice";
import { SessionLink } from "@/parts/SessionLink";
import { Text } from "@/parts/Text";

/** Everything that is kept of one call. */
export function CallPage({ id }: { id: string }) {
  const call = useCall(id);
  const gone = call.error instanceof ApiError && call.error.status === 404;
  return (
    <div className="stack">
      <Link href="/gateway/calls" className={styles.back}>
        <ArrowLeft size={15} aria-hidden="true" /> All calls
      </Link>
      {gone ? (
        <ForgottenCall hint={call.error?.message ?? ""} />
      ) : (
        <Loaded query={call} what="the call">
          {(detail) => <Detail detail={detail} />}
        </Loaded>
      )}
    </div>
  );
}

function ForgottenCall({ hint }: { hint: string }) {
  return (
    <Empty icon={<FileQuestion size={28} aria-hidden="true" />} title="What was in this call is not kept any more">
      <p>
        <Text>{hint}</Text>
      </p>
    </Empty>
  );
}

function Detail({ detail }: { detail: CallDetail }) {
  const { call, definition } = detail;
  return (
    <>
      <div className="row apart">
        <h2 className={styles.callName}>
          <Text>{call.tool}</Text> <OutcomeBadge code={call.outcome} />
        </h2>
        <Copy text={linkTo(`/gateway/calls/${call.call_id}`)} label="Copy link" />
      </div>
      <CallFacts detail={detail} />
      <KeptValue kept={detail.error} name="error" heading="Error" />
      <KeptValue kept={detail.arguments} name="arguments" heading="Arguments" />
      <KeptValue kept={detail.result} name="result" heading="Result" />
      {!detail.result && !detail.error && <p className="soft">It came to no result.</p>}
      {definition && (
        <details className={styles.definition}>
          <summary>The tool as its upstream defined it then</summary>
          <Arguments
            text={JSON.stringify(definition)}
            label="Definition of the tool"
            heading={<Text>{String(definition.name ?? call.tool)}</Text>}
            copy="Copy the definition"
          />
        </details>
      )}
    </>
  );
}

function CallFacts({ detail: { call, rule, decision } }: { detail: CallDetail }) {
  return (
    <dl className={styles.callFacts}>
      <Fact name="When">{exact(call.timestamp)}</Fact>
      <Fact name="Took">{duration(call.duration_ms)}</Fact>
      <Fact name="Agent">
        <Text>{call.agent}</Text>
      </Fact>
      {call.session_id && (
        <Fact name="Session">
          <SessionLink id={call.session_id} purpose={call.purpose} />
        </Fact>
      )}
      {call.upstream && (
        <Fact name="Upstream">
          <Text>{call.upstream}</Text>
        </Fact>
      )}
      {rule && (
        <Fact name="Rule">
          {titleOfLayer(rule.layer)}: <Text>{rule.reason}</Text>
          <br />
          <span className="soft">Who is asked: {whoConfirms(rule.confirm).toLowerCase()}</span>
        </Fact>
      )}
      {call.decision_id && (
        <Fact name="Decision">
          {decision ? (
            <Link href={`/decisions/${encodeURIComponent(call.decision_id)}`}>
              <Text>{decisionInWords(decision)}</Text>
            </Link>
          ) : (
            <Text>{`${call.decision_id}, which is not kept any more`}</Text>
          )}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function KeptValue({
  kept,
  name,
  heading,
}: {
  kept: CallDetail["arguments"] | undefined;
  name: string;
  heading: string;
}) {
  if (!kept) return null;
  return (
    <section className="stack" aria-label={heading}>
      <Arguments
        text={JSON.stringify(kept.value ?? null)}
        label={`The ${name} of the call`}
        heading={heading}
        copy={`Copy the ${name}`}
      />
      {kept.truncated && <Notice tone="warn">It was longer: the rest is not kept.</Notice>}
    </section>
  );
}
