import { PhoneOff, RefreshCw } from "lucide-react";
import { useId } from "react";
import { Link } from "wouter";
import { type Call, useCalls, useUpstreams } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { duration, outcomeOf, titleOfLayer } from "@/pages/gateway/words";
import { useSearchParam } from "@/parts/address";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Empty, Loaded } from "@/parts/Notice";
import { SessionLink } from "@/parts/SessionLink";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

export function Calls() {
  const choice = useId();
  const [upstream, setUpstream] = useSearchParam("upstream");
  const names = useUpstreams().data?.upstreams.map(({ name }) => name) ?? [];
  const calls = useCalls(upstream);
  return (
    <div className="stack">
      <div className={`row apart ${styles.tools}`}>
        <div>
          <label htmlFor={choice}>Only calls of</label>
          <select id={choice} value={upstream} onChange={(event) => setUpstream(event.target.value)}>
            <option value="">Every upstream</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <Button busy={calls.isFetching && !calls.isFetchingNextPage} onClick={() => void calls.refetch()}>
          <RefreshCw size={16} aria-hidden="true" /> Look again
        </Button>
      </div>
      <Loaded query={calls} what="the calls">
        {({ pages }) => <CallTable calls={pages.flatMap((page) => page.calls)} filtered={upstream !== ""} />}
      </Loaded>
      {calls.hasNextPage && (
        <div>
          <Button busy={calls.isFetchingNextPage} onClick={() => void calls.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </div>
  );
}

function CallTable({ calls, filtered }: { calls: Call[]; filtered: boolean }) {
  if (calls.length === 0) {
    return (
      <Empty
        icon={<PhoneOff size={28} aria-hidden="true" />}
        title={filtered ? "No call of its tools" : "No calls yet"}
      >
        <p>
          Every call of another server's tool appears here, also one that was refused. Open one to see what was in it.
        </p>
      </Empty>
    );
  }
  return (
    <table className={styles.table} aria-label="Recent calls">
      <thead>
        <tr>
          <th>When</th>
          <th>Tool</th>
          <th>Agent</th>
          <th>Session</th>
          <th>Outcome</th>
          <th className={styles.tight}>Took</th>
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <CallRow key={call.call_id ?? `${call.timestamp} ${call.tool} ${call.agent}`} call={call} />
        ))}
      </tbody>
    </table>
  );
}

function CallRow({ call }: { call: Call }) {
  return (
    <tr>
      <td className={`soft small ${styles.tight}`}>
        <Time at={call.timestamp} />
      </td>
      <td className={styles.tool}>
        <strong className={styles.name}>
          {call.call_id ? (
            <Link href={`/gateway/calls/${call.call_id}`}>
              <Text>{call.tool}</Text>
            </Link>
          ) : (
            <Text>{call.tool}</Text>
          )}
        </strong>
        <span className="soft small">
          {call.upstream && <Text>{call.upstream}</Text>}
          {call.layer && ` · ${titleOfLayer(call.layer).toLowerCase()}`}
        </span>
      </td>
      <td data-name="Agent" className={styles.line}>
        <Text>{call.agent}</Text>
      </td>
      <td data-name="Session" className={styles.line}>
        {call.session_id && <SessionLink id={call.session_id} purpose={call.purpose} />}
      </td>
      <td className={styles.line}>
        <OutcomeBadge code={call.outcome} />
        {call.decision_id && (
          <Link href={`/decisions/${encodeURIComponent(call.decision_id)}`} className="small">
            {" "}
            decision {call.decision_id}
          </Link>
        )}
      </td>
      <td data-name="Took" className={`soft ${styles.tight} ${styles.line}`}>
        {duration(call.duration_ms)}
      </td>
    </tr>
  );
}

export function OutcomeBadge({ code }: { code: string }) {
  const { text, tone } = outcomeOf(code);
  return (
    <Badge tone={tone} title={code}>
      {text}
    </Badge>
  );
}
