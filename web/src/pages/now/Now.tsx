import { Users } from "lucide-react";
import { Link } from "wouter";
import { AgentRow } from "@/pages/now/AgentRow";
import { type Span, useNowRead } from "@/pages/now/data";
import { type AgentLane, lanesOf, spoken } from "@/pages/now/lanes";
import styles from "@/pages/now/now.module.css";
import { Empty, Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { useNow } from "@/parts/Time";
import { PageHead } from "@/shell/PageHead";

/** Who does what now, over all sessions; and what took how long in the last hours. */
export default function Now() {
  const query = useNowRead();
  return (
    <div className="page">
      <PageHead title="Now" about="Who is at work, on what, and what they wait for." />
      <Loaded query={query} what="the agents">
        {({ agents, spans }) =>
          agents.length === 0 ? (
            <NobodyHere />
          ) : (
            <div className="stack">
              <ul className={`plain-list ${styles.agents}`} aria-label="Agents, the most recently active first">
                {agents.map((agent) => (
                  <li key={`${agent.session_id} ${agent.agent}`}>
                    <AgentRow agent={agent} />
                  </li>
                ))}
              </ul>
              <Lanes spans={spans} />
            </div>
          )
        }
      </Loaded>
    </div>
  );
}

function NobodyHere() {
  return (
    <Empty icon={<Users size={28} aria-hidden="true" />} title="Nobody is at work">
      <p>Each agent of an open session has a line here, with its task, its last action and what it waits for.</p>
      <p>
        <Link href="/connect">Connect an agent</Link>, or watch a scripted team with <code>longtable demo</code>.
      </p>
    </Empty>
  );
}

const KINDS: [Span["kind"], string][] = [
  ["task", "task"],
  ["call", "call of a tool"],
  ["wait", "wait for a person"],
];
const HOURS = [6, 5, 4, 3, 2, 1];

function Lanes({ spans }: { spans: Span[] }) {
  const lanes = lanesOf(spans, useNow());
  if (lanes.length === 0) return null;
  return (
    <section className={styles.lanes} aria-labelledby="lanes">
      <div className="row apart">
        <h2 id="lanes">The last six hours</h2>
        <ul className={`plain-list small soft ${styles.legend}`} aria-label="Colours">
          {KINDS.map(([kind, words]) => (
            <li key={kind}>
              <span className={styles.swatch} data-kind={kind} aria-hidden="true" /> {words}
            </li>
          ))}
        </ul>
      </div>
      <div className={styles.scale} aria-hidden="true">
        <span />
        <div>
          {HOURS.map((hours) => (
            <span key={hours}>{hours} h ago</span>
          ))}
        </div>
      </div>
      {lanes.map((lane) => (
        <LaneView key={`${lane.session} ${lane.agent}`} lane={lane} />
      ))}
    </section>
  );
}

function LaneView({ lane }: { lane: AgentLane }) {
  return (
    <div className={styles.lane}>
      <Link href={`/sessions/${encodeURIComponent(lane.session)}/activity`} className="clip">
        <Text>{lane.agent}</Text>
      </Link>
      <div className={styles.track} role="img" aria-label={spoken(lane)}>
        {lane.bars.map((bar) => (
          <span
            key={bar.key}
            className={styles.bar}
            data-kind={bar.kind}
            data-running={bar.running || undefined}
            title={bar.label}
            style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }}
          />
        ))}
      </div>
    </div>
  );
}
