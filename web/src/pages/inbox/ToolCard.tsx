import { Wrench } from "lucide-react";
import { useId, useMemo } from "react";
import { ToRead } from "@/pages/inbox/Arguments";
import { DecisionButton, Unread } from "@/pages/inbox/DecisionButton";
import type { Pin } from "@/pages/inbox/data";
import { addressOf } from "@/pages/inbox/filters";
import { type CardProps, InboxCard } from "@/pages/inbox/InboxCard";
import styles from "@/pages/inbox/inbox.module.css";
import { useAcceptTool } from "@/pages/inbox/mutations";
import { useReading } from "@/pages/inbox/reading";
import { changes } from "@/pages/inbox/unified";
import { Badge } from "@/parts/Badge";
import { Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

const SUSPICIONS: Record<string, string> = {
  hidden_characters: "Hidden characters",
  aimed_at_model: "Words aimed at the model",
  names_other_tool: "Names another tool",
};

export function ToolCard({ pin, ...card }: CardProps & { pin: Pin }) {
  const accepting = useAcceptTool(card.shown.item.id, pin, card.settle);
  const reading = useReading(card.shown.item.id);
  const why = useId();
  const changed = pin.reason === "changed";
  return (
    <InboxCard
      {...card}
      icon={<Wrench size={16} aria-hidden="true" />}
      kind="Tool"
      address={addressOf(card.shown.item)}
      badges={<Badge tone={changed ? "warn" : "calm"}>{changed ? "Changed" : "New"}</Badge>}
      title={
        <>
          {changed ? "Accept what has changed in" : "Accept the new tool"}{" "}
          <code>
            <Text>{pin.tool}</Text>
          </code>
          ?
        </>
      }
      about={
        <>
          A tool of <Text>{pin.upstream}</Text>. Nobody can call it until you accept it; to refuse it, leave it here.
        </>
      }
      controls={
        <>
          {accepting.isError && <Problem of={accepting.error} />}
          <div className={styles.decisionBar} data-bar>
            {reading.unread && <Unread id={why} what="definition" />}
            <DecisionButton
              kind="main"
              act="approve"
              busy={accepting.isPending}
              reading={reading}
              why={why}
              press={() => accepting.mutate()}
            >
              Accept
            </DecisionButton>
          </div>
        </>
      }
    >
      {pin.suspicions.length > 0 && <Suspicions of={pin} />}
      <div ref={reading.box} className={styles.basis}>
        {changed ? <ChangedDefinition of={pin} /> : <Definition of={pin} />}
      </div>
      {changed && (
        <details className={styles.fold}>
          <summary>The whole definition as it is now</summary>
          <Definition of={pin} />
        </details>
      )}
    </InboxCard>
  );
}

function Suspicions({ of: pin }: { of: Pin }) {
  return (
    <div className={styles.suspicions}>
      <h3>Look twice</h3>
      <ul>
        {pin.suspicions.map(({ kind = "", place = "", excerpt = "" }) => (
          <li key={`${kind} ${place}`}>
            {SUSPICIONS[kind] ?? <Text>{kind}</Text>} in{" "}
            <span className="mono">
              <Text>{place}</Text>
            </span>
            : <Text>{excerpt}</Text>
          </li>
        ))}
      </ul>
    </div>
  );
}

const SIGNS = { added: "+", removed: "-", same: " ", gap: " " };

function ChangedDefinition({ of: pin }: { of: Pin }) {
  const lines = useMemo(() => changes(pin.diff), [pin.diff]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.code} tabIndex={0} aria-label={`What has changed in ${pin.upstream} ${pin.tool}`}>
      {lines.map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a comparison is replaced as a whole
        <div key={index} data-change={kind}>
          <span>{SIGNS[kind]}</span>
          <Text>{kind === "gap" ? "…" : text}</Text>
        </div>
      ))}
      <ToRead />
    </section>
  );
}

function Definition({ of: pin }: { of: Pin }) {
  const text = useMemo(() => JSON.stringify(pin.definition, null, 2), [pin.definition]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.code} tabIndex={0} aria-label={`Definition of ${pin.upstream} ${pin.tool}`}>
      <Text>{text}</Text>
      <ToRead />
    </section>
  );
}
