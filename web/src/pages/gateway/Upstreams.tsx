import { Plus, RefreshCw, ServerOff } from "lucide-react";
import { useId, useState } from "react";
import { Link } from "wouter";
import { useIsOwner } from "@/api/me";
import { AddUpstream } from "@/pages/gateway/AddUpstream";
import { Authorization } from "@/pages/gateway/Authorization";
import { type Upstream, useAcceptAll, useRemoveUpstream, useSwitch, useUpstreams } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { UpstreamState } from "@/pages/gateway/UpstreamState";
import { healthOf, kindOf, LAYERS, limitsOf } from "@/pages/gateway/words";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Confirm } from "@/parts/Confirm";
import { Empty, Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";
import { useErrorToast, useToast } from "@/parts/Toasts";

export function Upstreams() {
  const upstreams = useUpstreams();
  const owner = useIsOwner();
  const [adding, setAdding] = useState(false);
  return (
    <Loaded query={upstreams} what="the upstreams">
      {({ upstreams: all, file_problem }) => (
        <div className="stack">
          <div className="row apart">
            <p className="soft small">
              {owner
                ? "Each is started when it is first needed."
                : "Only an owner can add, change or remove an upstream."}
            </p>
            <div className="row">
              {owner && (
                <Button kind="main" onClick={() => setAdding(true)}>
                  <Plus size={16} aria-hidden="true" /> Add an upstream
                </Button>
              )}
              <Button busy={upstreams.isFetching} onClick={() => void upstreams.refetch()}>
                <RefreshCw size={16} aria-hidden="true" /> Look again
              </Button>
            </div>
          </div>
          {file_problem && (
            <div className="notice">
              The gateway file is not taken over as it is now: <Text>{file_problem}</Text>
            </div>
          )}
          {all.length === 0 ? (
            <Empty icon={<ServerOff size={28} aria-hidden="true" />} title="The gateway has no upstreams">
              <p>
                Add one here, with <code>longtable upstreams add</code>, or under <code>mcpServers</code> in the gateway
                file.
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
          {adding && <AddUpstream close={() => setAdding(false)} />}
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
        <span className="soft small">
          {kindOf(upstream.kind)}
          {upstream.source === "added" && ", added here"}
        </span>
      </div>
      {upstream.problem && (
        <div className="notice">
          <Text>{upstream.problem}</Text>
        </div>
      )}
      <Authorization upstream={upstream} owner={owner} />
      <UpstreamState upstream={upstream} />
      <ByLayer upstream={upstream} />
      <details className={styles.fold}>
        <summary className="small">Limits</summary>
        <dl className={styles.facts}>
          {limitsOf(upstream.limits).map(([name, value]) => (
            <UpstreamFact key={name} name={name} value={value} />
          ))}
        </dl>
      </details>
      {upstream.added && <AddedEntry added={upstream.added} />}
      {owner && <UpstreamActs upstream={upstream} />}
    </article>
  );
}

function AddedEntry({ added }: { added: NonNullable<Upstream["added"]> }) {
  return (
    <details className={styles.fold}>
      <summary className="small">Entry</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.definition} tabIndex={0}>
        <Text>{JSON.stringify(added.entry, null, 2)}</Text>
      </pre>
      <p className="soft small">
        changed by <Text>{added.changed_by}</Text> <Time at={added.changed_at} />
      </p>
    </details>
  );
}

function UpstreamActs({ upstream }: { upstream: Upstream }) {
  const held = upstream.tools.filter((tool) => tool.quarantined).length;
  if (held === 0 && upstream.source !== "added") return null;
  return (
    <div className="row">
      {held > 0 && <AcceptAll upstream={upstream} held={held} />}
      {upstream.source === "added" && <Remove upstream={upstream} />}
    </div>
  );
}

function AcceptAll({ upstream, held }: { upstream: Upstream; held: number }) {
  const [asking, setAsking] = useState(false);
  const accept = useAcceptAll();
  const say = useToast();
  const act = () =>
    accept.mutate(upstream.name, {
      onSuccess: ({ accepted }) => {
        setAsking(false);
        say(`${accepted?.length ?? 0} tools of ${upstream.name} are accepted.`);
      },
    });
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        Accept {held === 1 ? "1 tool" : `${held} tools`}
        <span className="hidden-but-read"> of {upstream.name}</span>
      </Button>
      <Confirm
        open={asking}
        close={() => setAsking(false)}
        title={`Accept the tools of ${upstream.name}?`}
        about="Agents can call them, by the rules. You vouch for all of its tools as they are now; one that changes later is held back again. Each can be read in the quarantine first."
        action="Accept them all"
        busy={accept.isPending}
        problem={accept.error}
        act={act}
      />
    </>
  );
}

function Remove({ upstream }: { upstream: Upstream }) {
  const [asking, setAsking] = useState(false);
  const remove = useRemoveUpstream();
  const say = useToast();
  const act = () =>
    remove.mutate(upstream.name, {
      onSuccess: () => {
        setAsking(false);
        say(`${upstream.name} is removed.`);
      },
    });
  return (
    <>
      <Button kind="bad" onClick={() => setAsking(true)} aria-label={`Remove ${upstream.name}`}>
        Remove
      </Button>
      <Confirm
        open={asking}
        close={() => setAsking(false)}
        title={`Remove ${upstream.name}?`}
        about="Its tools disappear from every agent's list at once. Calls that are under way may still end. What was accepted of it is forgotten."
        action="Remove it"
        kind="bad"
        busy={remove.isPending}
        problem={remove.error}
        act={act}
      />
    </>
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
