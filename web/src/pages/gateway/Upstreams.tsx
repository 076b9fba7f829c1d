import { RefreshCw, ServerOff } from "lucide-react";
import { useId, useState } from "react";
import { Link } from "wouter";
import { useIsOwner } from "@/api/me";
import { Authorization } from "@/pages/gateway/Authorization";
import { type Upstream, useSwitch, useUpstreams } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { healthOf, kindOf, LAYERS, limitsOf } from "@/pages/gateway/words";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Confirm } from "@/parts/Confirm";
import { Empty, Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { useErrorToast, useToast } from "@/parts/Toasts";

export function Upstreams() {
  const upstreams = useUpstreams();
  const owner = useIsOwner();
  return (
    <Loaded query={upstreams} what="the upstreams">
      {({ upstreams: all }) => (
        <div className="stack">
          <div className="row apart">
            <p className="soft small">
              {owner ? "Each is started when it is first needed." : "Only an owner can switch an upstream on or off."}
            </p>
            <Button busy={upstreams.isFetching} onClick={() => void upstreams.refetch()}>
              <RefreshCw size={16} aria-hidden="true" /> Look again
            </Button>
          </div>
          {all.length === 0 ? (
            <Empty icon={<ServerOff size={28} aria-hidden="true" />} title="The gateway has no upstreams">
              <p>
                Name one under <code>mcpServers</code> in the file of <code>--gateway-config</code> and start the server
                again.
              </p>
            </Empty>
          ) : (
            <ul className={`plain-list ${styles.cards}`} aria-label="Upstreams">
              {all.map((upstream) => (
                <li key={upstream.name}>
                  <UpstreamCard upstream={upstream} owner={owner} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Loaded>
  );
}

function UpstreamCard({ upstream, owner }: { upstream: Upstream; owner: boolean }) {
  const title = useId();
  const health = healthOf(upstream);
  return (
    <article className="card stack" aria-labelledby={title}>
      <div className="row apart">
        <h2 id={title}>
          <Text>{upstream.name}</Text>
        </h2>
        {owner && <OnOff upstream={upstream} />}
      </div>
      <div className="row">
        <Badge tone={health.tone}>{health.text}</Badge>
        <span className="soft small">{kindOf(upstream.kind)}</span>
      </div>
      {upstream.problem && (
        <div className="notice">
          <Text>{upstream.problem}</Text>
        </div>
      )}
      <Authorization upstream={upstream} owner={owner} />
      <ByLayer upstream={upstream} />
      <details className={styles.fold}>
        <summary className="small">Limits</summary>
        <dl className={styles.facts}>
          {limitsOf(upstream.limits).map(([name, value]) => (
            <UpstreamFact key={name} name={name} value={value} />
          ))}
        </dl>
      </details>
    </article>
  );
}

function UpstreamFact({ name, value }: { name: string; value: string | number }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function ByLayer({ upstream }: { upstream: Upstream }) {
  const held = upstream.tools.filter((tool) => tool.quarantined).length;
  if (upstream.tools.length === 0) return <p className="soft small">No tools are known of it.</p>;
  return (
    <div className="stack">
      <dl className={styles.facts}>
        {LAYERS.map(({ layer, title }) => {
          const count = upstream.tools.filter((tool) => tool.layer === layer).length;
          return count > 0 && <UpstreamFact key={layer} name={title} value={count} />;
        })}
      </dl>
      {held > 0 && (
        <Link href="/gateway/quarantine" className="small">
          {held === 1 ? "1 tool is held back" : `${held} tools are held back`}
        </Link>
      )}
    </div>
  );
}

function OnOff({ upstream }: { upstream: Upstream }) {
  const id = useId();
  const [asking, setAsking] = useState(false);
  const turn = useSwitch();
  const say = useToast();
  const sayProblem = useErrorToast();
  const shown = turn.isPending && turn.variables.on ? true : upstream.on;
  const set = (on: boolean) =>
    turn.mutate(
      { name: upstream.name, on },
      {
        onSuccess: () => {
          setAsking(false);
          say(on ? `${upstream.name} is on again.` : `${upstream.name} is switched off.`);
        },
        onError: (problem) => on && sayProblem(problem),
      },
    );
  // Never disabled: the focus comes back to it while it is still at work.
  const wish = (on: boolean) => {
    if (turn.isPending) return;
    if (on) set(true);
    else setAsking(true);
  };
  return (
    <>
      <label className={styles.switch} htmlFor={id}>
        <span className="small">{upstream.on ? "On" : "Off"}</span>
        <input
          type="checkbox"
          role="switch"
          id={id}
          checked={shown}
          aria-checked={shown}
          aria-busy={turn.isPending}
          aria-label={`Use ${upstream.name}`}
          onChange={(event) => wish(event.target.checked)}
        />
      </label>
      <Confirm
        open={asking}
        close={() => setAsking(false)}
        title={`Switch ${upstream.name} off?`}
        about="Its tools disappear from every agent's list at once, and calls of them are refused until it is on again. What was approved before counts no more."
        action="Switch off"
        kind="bad"
        busy={turn.isPending}
        problem={turn.error}
        act={() => set(false)}
      />
    </>
  );
}
