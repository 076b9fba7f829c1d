import { Ellipsis, Hourglass } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { type AgentNow, type Control, useWriteTo } from "@/pages/now/data";
import { sparkline } from "@/pages/now/lanes";
import styles from "@/pages/now/now.module.css";
import { WriteTo } from "@/pages/now/WriteTo";
import { leaseLeft } from "@/pages/table/checklist/board";
import { Menu, MenuItem } from "@/pages/table/Menu";
import { Badge } from "@/parts/Badge";
import { Text } from "@/parts/Text";
import { Time, useNow } from "@/parts/Time";
import { useToast } from "@/parts/Toasts";

/** Active within this time counts as at work. */
const HERE = 120_000;
const LINE = { width: 96, height: 20 };

const WAITS: Record<NonNullable<AgentNow["waits_for"]>, string> = {
  answers: "Waits for an answer",
  messages: "Waits for messages",
  decision: "Waits for an approval",
};

/** One agent at one session: its task, what it did last, what it waits for. */
export function AgentRow({ agent }: { agent: AgentNow }) {
  const base = `/sessions/${encodeURIComponent(agent.session_id)}`;
  const here = useNow() - Date.parse(agent.last.at) < HERE;
  return (
    <article className={styles.agent} aria-label={`${agent.agent} at ${agent.purpose || agent.session_id}`}>
      <div className={styles.who}>
        <span className={styles.dot} data-here={here || undefined} aria-hidden="true" />
        <strong className="clip">
          <Text>{agent.agent}</Text>
        </strong>
        <Link href={base} className={`clip small ${styles.where}`}>
          <Text>{agent.purpose || agent.session_id}</Text>
        </Link>
      </div>
      <div className={styles.what}>
        <TaskLine agent={agent} base={base} />
        <p className="clip soft small">
          <Text>{agent.last.text}</Text> · <Time at={agent.last.at} />
        </p>
      </div>
      <Waits agent={agent} base={base} />
      <Sparkline numbers={agent.events_per_hour} />
      <Steering agent={agent} />
    </article>
  );
}

function TaskLine({ agent, base }: { agent: AgentNow; base: string }) {
  const now = useNow();
  if (!agent.task) return <p className="soft">No task</p>;
  return (
    <p className={styles.task}>
      <Link href={`${base}/plan/${agent.task.task_id}`} className="clip">
        <Text>{agent.task.title}</Text>
      </Link>
      {agent.lease_until && <span className="soft small">{leaseLeft(agent.lease_until, now)}</span>}
    </p>
  );
}

function Waits({ agent, base }: { agent: AgentNow; base: string }) {
  if (!agent.waits_for) return <span className={styles.waits} />;
  const place = { answers: `${base}/questions`, messages: `${base}/messages`, decision: "/inbox" }[agent.waits_for];
  return (
    <Link href={place} className={styles.waits}>
      <Badge tone={agent.waits_for === "messages" ? "plain" : "warn"}>
        <Hourglass size={12} aria-hidden="true" /> {WAITS[agent.waits_for]}
      </Badge>
      {agent.waits_since && (
        <span className="soft small">
          Began <Time at={agent.waits_since} />
        </span>
      )}
    </Link>
  );
}

function Sparkline({ numbers }: { numbers: number[] }) {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  return (
    <svg
      className={styles.sparkline}
      width={LINE.width}
      height={LINE.height}
      viewBox={`-1 -1 ${LINE.width + 2} ${LINE.height + 2}`}
      role="img"
      aria-label={`${total} events in 24 hours`}
    >
      <path d={sparkline(numbers, LINE.width, LINE.height)} />
    </svg>
  );
}

const CONTROLS: [Control, string][] = [
  ["pause", "Ask to pause"],
  ["resume", "Tell to go on"],
  ["stop", "Ask to stop"],
];

/** It is a request: the agent learns of it with its next check_pause or brief, and acknowledges it with that. */
function Steering({ agent }: { agent: AgentNow }) {
  const [writing, setWriting] = useState(false);
  const say = useToast();
  const { mutate } = useWriteTo(agent);
  const ask = (control: Control) =>
    mutate(
      { content: control, kind: "control" },
      {
        onSuccess: () => say(`${agent.agent} was asked to ${control}. Its messages show when it has seen that.`),
        onError: (problem) => say(problem.message, "bad"),
      },
    );
  return (
    <div className={styles.steering}>
      <Menu small label={`Actions for ${agent.agent}`} title={<Ellipsis size={16} aria-hidden="true" />}>
        <MenuItem act={() => setWriting(true)}>Write to it</MenuItem>
        {CONTROLS.map(([control, words]) => (
          <MenuItem key={control} act={() => ask(control)}>
            {words}
          </MenuItem>
        ))}
      </Menu>
      {writing && <WriteTo agent={agent} close={() => setWriting(false)} />}
    </div>
  );
}
