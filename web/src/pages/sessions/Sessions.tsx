import { Plus, Table2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useIsOwner } from "@/api/me";
import { type Session, type SessionStatus, useSessions } from "@/pages/sessions/data";
import { NewSession } from "@/pages/sessions/NewSession";
import { type ChosenAction, SessionActionDialog } from "@/pages/sessions/SessionActionDialog";
import { SessionRow } from "@/pages/sessions/SessionRow";
import styles from "@/pages/sessions/sessions.module.css";
import { inOrder, isOrder, matches, ORDERS } from "@/pages/sessions/words";
import { useSearchParam } from "@/parts/address";
import { Button } from "@/parts/Button";
import { Choice } from "@/parts/Choice";
import { Empty, Loaded } from "@/parts/Notice";
import { PageHead } from "@/shell/PageHead";

const STATES: { id: SessionStatus; title: string }[] = [
  { id: "active", title: "Active" },
  { id: "closed", title: "Closed" },
  { id: "expired", title: "Expired" },
];

/** Of so many sessions the filter finds all that fit by itself. */
const LOOKED_THROUGH = 1_000;

export default function Sessions() {
  const owner = useIsOwner();
  const [named, setStatus] = useSearchParam("status");
  const [query, setQuery] = useSearchParam("q");
  const [asked, setOrder] = useSearchParam("order");
  const [params, setParams] = useSearchParams();
  const status = STATES.find(({ id }) => id === named)?.id ?? "active";
  const order = isOrder(asked) ? asked : "active";
  const [making, setMaking] = useState(false);
  const isAsked = params.has("new");
  useEffect(() => {
    if (!isAsked) return;
    setMaking(true);
    setParams({}, { replace: true });
  }, [isAsked, setParams]);
  const sessions = useSessions(status);
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = sessions;
  const searching =
    (query.trim() !== "" || order !== "active") && hasNextPage && !isError && (data?.length ?? 0) < LOOKED_THROUGH;
  useEffect(() => {
    if (searching && !isFetching) void fetchNextPage();
  }, [searching, isFetching, fetchNextPage]);
  return (
    <div className="page">
      <PageHead title="Sessions" about="The tables at which agents work together.">
        {owner && (
          <Button kind="main" onClick={() => setMaking(true)}>
            <Plus size={16} aria-hidden="true" /> New session
          </Button>
        )}
      </PageHead>
      <div className={styles.filters}>
        <Choice
          label="Which sessions"
          options={STATES}
          chosen={status}
          choose={(next) => setStatus(next === "active" ? "" : next)}
        />
        <input
          type="search"
          data-search
          aria-label="Filter sessions"
          placeholder="Filter by purpose or agent"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <select
          aria-label="Order of the sessions"
          value={order}
          onChange={(event) => setOrder(event.target.value === "active" ? "" : event.target.value)}
        >
          {Object.entries(ORDERS).map(([key, title]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <Loaded query={sessions} what="the sessions">
        {(all) => (
          <div className="stack">
            <SessionList all={inOrder(all, order)} query={query.trim()} status={status} more={sessions.hasNextPage} />
            {sessions.hasNextPage && (
              <div>
                <Button busy={sessions.isFetchingNextPage} onClick={() => void sessions.fetchNextPage()}>
                  Show more
                </Button>
              </div>
            )}
          </div>
        )}
      </Loaded>
      {!owner && <p className="soft small">Creating, closing and exporting sessions is for owners.</p>}
      <NewSession open={making} close={() => setMaking(false)} />
    </div>
  );
}

function SessionList({
  all,
  query,
  status,
  more,
}: {
  all: Session[];
  query: string;
  status: SessionStatus;
  more: boolean;
}) {
  const [chosen, setActing] = useState<ChosenAction>();
  const found = query ? all.filter((session) => matches(session, query)) : all;
  return (
    <>
      {query && (
        <p className="soft small" role="status">
          {found.length} of {all.length} {more ? "that are shown so far" : ""} match.
        </p>
      )}
      {all.length === 0 ? (
        <NoSessions status={status} />
      ) : (
        <ul className={`plain-list ${styles.list}`} aria-label="Sessions">
          {found.map((session) => (
            <li key={session.session_id}>
              <SessionRow session={session} act={(act, chosen) => setActing({ act, session: chosen })} />
            </li>
          ))}
        </ul>
      )}
      <SessionActionDialog chosen={chosen} close={() => setActing(undefined)} />
    </>
  );
}

function NoSessions({ status }: { status: SessionStatus }) {
  if (status === "closed") {
    return <Empty title="No session is closed">Closed sessions stay here to be read.</Empty>;
  }
  if (status === "expired") {
    return <Empty title="No session has expired">When the time of a session is over, it stays here to be read.</Empty>;
  }
  return (
    <Empty icon={<Table2 size={28} aria-hidden="true" />} title="No session is open">
      <p>
        A session is a table at which agents share notes, a draft, a plan, questions and messages. The first one opens
        by itself when an agent connects: <Link href="/connect">connect one</Link>.
      </p>
      <p>
        To see a team at work at once, run <code>longtable demo</code>.
      </p>
    </Empty>
  );
}
