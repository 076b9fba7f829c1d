import { ShieldCheck } from "lucide-react";
import { type Ref, useId, useState } from "react";
import { useIsOwner } from "@/api/me";
import { changedLines, type DefinitionLine } from "@/pages/gateway/changes";
import { type Pin, useAccept, usePins } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { suspicionOf } from "@/pages/gateway/words";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Confirm } from "@/parts/Confirm";
import { useFocusAfter } from "@/parts/focus";
import { Empty, Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

/** A screenful at a time: each has a whole definition in it. */
const STEP = 20;

export function Quarantine() {
  return (
    <Loaded query={usePins()} what="the quarantine">
      {({ tools }) => <QuarantinedTools pins={tools} />}
    </Loaded>
  );
}

function QuarantinedTools({ pins }: { pins: Pin[] }) {
  const owner = useIsOwner();
  const [most, setMost] = useState(STEP);
  const { stays, acted } = useFocusAfter<HTMLHeadingElement>(pins.length);
  return (
    <div className="stack">
      <Heading ref={stays} count={pins.length} owner={owner} />
      {pins.length === 0 ? (
        <Empty icon={<ShieldCheck size={28} aria-hidden="true" />} title="Every tool is the one that was agreed to">
          <p>
            The first time an upstream is seen, its tools are pinned. One that changes or joins later, or that hides
            something, waits here until an owner has looked at it.
          </p>
        </Empty>
      ) : (
        <ul className="plain-list stack" aria-label="Tools in quarantine">
          {pins.slice(0, most).map((pin) => (
            // Another definition is another card: a click accepts the definition that was read.
            <li key={`${pin.upstream}/${pin.tool}/${pin.digest}`}>
              <PinCard pin={pin} owner={owner} acted={acted} />
            </li>
          ))}
        </ul>
      )}
      {pins.length > most && (
        <div>
          <Button onClick={() => setMost(most + STEP)}>Show more</Button>
        </div>
      )}
    </div>
  );
}

function Heading({ ref, count, owner }: { ref: Ref<HTMLHeadingElement>; count: number; owner: boolean }) {
  const title = count === 1 ? "1 tool is held back" : `${count === 0 ? "No" : count} tools are held back`;
  return (
    <div>
      <h2 ref={ref} tabIndex={-1}>
        {title}
      </h2>
      <p className="soft small">
        Nobody can call what is held back.{!owner && " Only an owner can accept a changed tool."}
      </p>
    </div>
  );
}

function PinCard({ pin, owner, acted }: { pin: Pin; owner: boolean; acted: () => void }) {
  const title = useId();
  const changed = pin.reason === "changed";
  return (
    <article className="card stack" aria-labelledby={title}>
      <div className="row">
        <h3 id={title}>
          <Text>{`${pin.upstream}.${pin.tool}`}</Text>
        </h3>
        <Badge tone={changed ? "warn" : "calm"}>{changed ? "Changed" : "New"}</Badge>
        <span className="soft small">
          first seen <Time at={pin.first_seen_at} />
        </span>
      </div>
      <Doubts pin={pin} />
      {changed && <DefinitionChanges lines={changedLines(pin.diff)} name={pin.tool} />}
      <details className={styles.fold} open={!changed}>
        <summary className="small">The whole definition</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre className={styles.definition} tabIndex={0}>
          <Text>{JSON.stringify(pin.definition, null, 2)}</Text>
        </pre>
      </details>
      {owner && <Accept pin={pin} acted={acted} />}
    </article>
  );
}

function Doubts({ pin }: { pin: Pin }) {
  if (pin.suspicions.length === 0) return null;
  return (
    <ul className={`plain-list ${styles.doubts}`} aria-label="What a scan found">
      {pin.suspicions.map((doubt, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the findings of one scan never move
        <li key={index}>
          <strong>{suspicionOf(doubt.kind)}</strong> in <Text>{doubt.place ?? "it"}</Text>:{" "}
          <span className="mono">
            <Text>{doubt.excerpt ?? ""}</Text>
          </span>
        </li>
      ))}
    </ul>
  );
}

const SIGNS: Record<DefinitionLine["kind"], [sign: string, said: string]> = {
  added: ["+", "added: "],
  removed: ["-", "removed: "],
  same: ["", ""],
  gap: ["", "lines without a change"],
};

function DefinitionChanges({ lines, name }: { lines: DefinitionLine[]; name: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.changes} tabIndex={0} aria-label={`What has changed in ${name}`}>
      <ol>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a difference is replaced as a whole
          <li key={index} data-kind={line.kind}>
            <span aria-hidden="true">{SIGNS[line.kind][0]}</span>
            <span>
              <span className="hidden-but-read">{SIGNS[line.kind][1]}</span>
              <Text>{line.text}</Text>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Accept({ pin, acted }: { pin: Pin; acted: () => void }) {
  const [asking, setAsking] = useState(false);
  const accept = useAccept();
  const name = `${pin.upstream}.${pin.tool}`;
  const act = () => {
    acted();
    accept.mutate(pin);
  };
  return (
    <div>
      <Button kind="main" onClick={() => setAsking(true)} aria-label={`Accept ${name}`}>
        Accept
      </Button>
      <Confirm
        open={asking}
        close={() => setAsking(false)}
        title="Accept this tool as it is now?"
        about="Agents can call it again, by the rules. You vouch for this definition; another change holds it back again."
        action="Accept this definition"
        busy={accept.isPending}
        problem={accept.error}
        act={act}
      >
        <strong>
          <Text>{name}</Text>
        </strong>
        <Doubts pin={pin} />
      </Confirm>
    </div>
  );
}
