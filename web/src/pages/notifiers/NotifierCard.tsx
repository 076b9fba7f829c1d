import { useState } from "react";
import { type Delivery, EVENTS, type Notifier, useDeliveries, useRemove, useTest } from "@/pages/notifiers/data";
import styles from "@/pages/notifiers/notifiers.module.css";
import { Badge, type Tone } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Confirm } from "@/parts/Confirm";
import { Loaded, Notice, Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

const TONES: Record<Notifier["status"], Tone> = { ok: "good", failing: "bad", gone: "warn" };

export function NotifierCard({ notifier }: { notifier: Notifier }) {
  const { name } = notifier;
  const test = useTest();
  const [shown, setShown] = useState(false);
  const events = EVENTS.filter(([event]) => notifier.events.includes(event)).map(([, words]) => words);
  return (
    <li className="card stack">
      <div className={styles.head}>
        <h3>
          <Text>{name}</Text>
        </h3>
        <Badge>{notifier.kind}</Badge>
        <Badge tone={TONES[notifier.status]}>{notifier.status}</Badge>
        <code className={styles.to}>{notifier.to}</code>
      </div>
      <p className="small soft">{events.join(" · ")}</p>
      {test.data && (
        <Notice tone={test.data.delivered ? "good" : "warn"}>
          {test.data.delivered
            ? "The test was delivered."
            : `The test was not delivered: ${test.data.delivery.problem}`}
        </Notice>
      )}
      {test.error && <Problem of={test.error} />}
      <div className="row">
        <Button busy={test.isPending} onClick={() => test.mutate(name)} aria-label={`Test ${name}`}>
          Test
        </Button>
        <Button onClick={() => setShown(!shown)} aria-expanded={shown} aria-label={`Last deliveries of ${name}`}>
          Last deliveries
        </Button>
        {notifier.source === "added" ? (
          <RemoveNotifier name={name} />
        ) : (
          <span className="small soft">It stands in the notifiers file of the server.</span>
        )}
      </div>
      {shown && <Deliveries name={name} />}
    </li>
  );
}

const STATUS: Record<Delivery["status"], [Tone, string]> = {
  sent: ["good", "sent"],
  waiting: ["warn", "waiting"],
  failed: ["bad", "failed"],
  in_digest: ["plain", "in a digest"],
  not_needed: ["plain", "not needed any more"],
};

function Deliveries({ name }: { name: string }) {
  const deliveries = useDeliveries(name);
  return (
    <Loaded query={deliveries} what="the deliveries">
      {({ deliveries: found }) =>
        found.length === 0 ? (
          <p className="small soft">Nothing yet.</p>
        ) : (
          <ul className={`plain-list ${styles.deliveries}`} aria-label={`Deliveries of ${name}`}>
            {found.map((each) => (
              <li key={each.id} className="row small">
                <Badge tone={STATUS[each.status][0]}>{STATUS[each.status][1]}</Badge>
                <span>{each.covers > 1 ? `${each.type} of ${each.covers}` : each.type.replaceAll("_", " ")}</span>
                <Time at={each.created_at} />
                {each.attempts > 1 && <span className="soft">{each.attempts} attempts</span>}
                {each.problem && (
                  <span className="soft">
                    <Text>{each.problem}</Text>
                  </span>
                )}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function RemoveNotifier({ name }: { name: string }) {
  const [asking, setAsking] = useState(false);
  const remove = useRemove();
  return (
    <>
      <Button kind="bad" onClick={() => setAsking(true)} aria-label={`Remove ${name}`}>
        Remove
      </Button>
      <Confirm
        open={asking}
        close={() => setAsking(false)}
        title={`Remove ${name}?`}
        about="Nobody is called there any more, and the log of what it sent goes with it."
        action="Remove the notifier"
        kind="bad"
        busy={remove.isPending}
        problem={remove.error}
        act={() => remove.mutate(name)}
      />
    </>
  );
}
