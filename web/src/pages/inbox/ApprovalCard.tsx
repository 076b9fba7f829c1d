import { ShieldQuestion } from "lucide-react";
import { Fragment, useId, useRef, useState } from "react";
import { useMe } from "@/api/me";
import { Arguments } from "@/pages/inbox/Arguments";
import { DecisionButton, Unread } from "@/pages/inbox/DecisionButton";
import { type Decision, draftFor } from "@/pages/inbox/data";
import { type CardProps, InboxCard, SessionByPurpose } from "@/pages/inbox/InboxCard";
import styles from "@/pages/inbox/inbox.module.css";
import { type DecisionInput, useDecide } from "@/pages/inbox/mutations";
import { type ReadingState, useReading } from "@/pages/inbox/reading";
import { useDraft } from "@/parts/drafts";
import { Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

export function ApprovalCard({ decision, ...card }: CardProps & { decision: Decision }) {
  const deciding = useDecide(decision, card.settle);
  const reading = useReading(decision.id);
  return (
    <InboxCard
      {...card}
      icon={<ShieldQuestion size={16} aria-hidden="true" />}
      kind="Approval"
      address={`/decisions/${encodeURIComponent(decision.id)}`}
      title={
        <>
          May <Text>{decision.requested_by}</Text> call{" "}
          <code>
            <Text>{decision.identity}</Text>
          </code>
          ?
        </>
      }
      about={<Where decision={decision} />}
      controls={
        <>
          <DecisionButtons
            id={decision.id}
            reading={reading}
            sent={deciding.isPending ? deciding.variables : undefined}
            decide={deciding.mutate}
          />
          {deciding.isError && <Problem of={deciding.error} />}
        </>
      }
    >
      <dl className={styles.facts}>
        {decision.why && (
          <>
            <dt>Why</dt>
            <dd>
              <Text>{decision.why}</Text>
            </dd>
          </>
        )}
        {decision.description && (
          <>
            <dt>What it does</dt>
            <dd>
              <Text>{decision.description}</Text>
            </dd>
          </>
        )}
      </dl>
      <div ref={reading.box} className={styles.basis}>
        <Arguments text={decision.arguments_text} label={`Arguments of ${decision.identity}, ${decision.id}`} />
        <Steps of={decision} />
      </div>
      <More of={decision} />
    </InboxCard>
  );
}

/** What a playbook will call, in this order. */
function Steps({ of: { steps, identity, id } }: { of: Decision }) {
  if (!steps) return null;
  return (
    <section className={styles.call} aria-label={`Steps of ${identity}, ${id}`}>
      <h3>{steps.length === 1 ? "It makes one call" : `It makes ${steps.length} calls, in this order`}</h3>
      <ol className={styles.steps}>
        {steps.map((step, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a decision never change
          <li key={position}>
            <Arguments
              text={JSON.stringify(step.inputs)}
              label={`Inputs of step ${position + 1}, ${id}`}
              heading={
                <>
                  <code>
                    <Text>{step.tool}</Text>
                  </code>
                  {!step.fixed && <span className="soft small"> with parts of an earlier result</span>}
                </>
              }
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Where({ decision }: { decision: Decision }) {
  return (
    <>
      A tool of <Text>{decision.upstream}</Text>
      {decision.session_id && (
        <>
          , wanted in <SessionByPurpose id={decision.session_id} />
        </>
      )}
      .
    </>
  );
}

/** Names that matter to whoever compares this with a log. */
function More({ of: decision }: { of: Decision }) {
  const facts: [string, string | null | undefined][] = [
    ["Called as", decision.tool],
    ["Session", decision.session_id],
    ["Workspace", decision.workspace_id === decision.session_id ? null : decision.workspace_id],
    ["Decision", decision.id],
  ];
  return (
    <details className={styles.fold}>
      <summary className="small">Names and ids</summary>
      <dl className={styles.facts}>
        {facts.map(
          ([name, value]) =>
            value && (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd className="mono">
                  <Text>{value}</Text>
                </dd>
              </Fragment>
            ),
        )}
      </dl>
    </details>
  );
}

function DecisionButtons({
  id,
  reading,
  sent,
  decide,
}: {
  id: string;
  reading: ReadingState;
  sent: DecisionInput | undefined;
  decide: (decision: DecisionInput) => void;
}) {
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  const lasting = useMe().data?.auth !== "off";
  const [reason, setReason] = useDraft(draftFor(id), "");
  const [repeats, setRepeats] = useState(false);
  const [asked, setAsked] = useState(false);
  const wordless = reason.trim() === "";
  const deny = () => {
    if (wordless && !asked) {
      setAsked(true);
      input.current?.focus();
    } else decide({ approve: false, reason, repeats: false });
  };
  return (
    <div className={`${styles.controls} ${styles.spread}`}>
      <div>
        <label htmlFor={field}>Reason</label>
        <input
          ref={input}
          id={field}
          type="text"
          maxLength={2_000}
          value={reason}
          aria-describedby={`${field}-note`}
          onChange={(event) => setReason(event.target.value)}
        />
        <p id={`${field}-note`} className="soft small">
          {asked && wordless
            ? "Say why, so that the agent can do better. Or deny once more, without a reason."
            : "Optional. If you deny, the agent is told."}
        </p>
      </div>
      {lasting && (
        <label className={styles.check}>
          <input type="checkbox" checked={repeats} onChange={(event) => setRepeats(event.target.checked)} />
          Allow the same call for 10 minutes
        </label>
      )}
      <div className={styles.decisionBar} data-bar>
        {reading.unread && <Unread id={`${field}-unread`} what="arguments" />}
        <DecisionButton
          kind="main"
          act="approve"
          busy={sent?.approve === true}
          reading={reading}
          why={`${field}-unread`}
          press={() => decide({ approve: true, reason, repeats })}
        >
          Approve
        </DecisionButton>
        <DecisionButton
          kind="bad"
          act="deny"
          busy={sent?.approve === false}
          reading={reading}
          why={`${field}-unread`}
          press={deny}
        >
          {asked && wordless ? "Deny without a reason" : "Deny"}
        </DecisionButton>
      </div>
    </div>
  );
}
