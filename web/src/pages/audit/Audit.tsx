import { ArrowUp, ScrollText } from "lucide-react";
import { useEffect, useState } from "react";
import { Link, useLocation, useRoute, useSearch } from "wouter";
import { useIsOwner } from "@/api/me";
import { AuditFilters } from "@/pages/audit/AuditFilters";
import { AuditTable } from "@/pages/audit/AuditTable";
import styles from "@/pages/audit/audit.module.css";
import { Chain } from "@/pages/audit/Chain";
import { type Entry, keyOf, useAudit } from "@/pages/audit/data";
import { type Filters, fromAddress, isFiltered, NO_FILTERS, queryOf, toAddress } from "@/pages/audit/filters";
import { useFollowing } from "@/pages/audit/following";
import { Button } from "@/parts/Button";
import { Empty, Loaded } from "@/parts/Notice";
import { PageHead } from "@/shell/PageHead";

const ABOUT = "Who did what, and what was refused. Each record is chained to the one before it.";

export default function Audit() {
  const owner = useIsOwner();
  return (
    <div className="page">
      <PageHead title="Audit" about={ABOUT} />
      {owner ? <Log /> : <NotYours />}
    </div>
  );
}

function NotYours() {
  return (
    <Empty icon={<ScrollText size={28} aria-hidden="true" />} title="The log is for owners">
      <p>
        It shows what everybody on the team has read and done, so only an owner may look at it. Ask one, or sign in with
        a token of the role owner.
      </p>
    </Empty>
  );
}

// Kept while the console is open: looking at a session and coming back does not lose the search.
let latest = { filters: NO_FILTERS, looks: false };

/** The filters stand in the address, so that a search can be sent to somebody. */
function useAddressedFilters() {
  const [, go] = useLocation();
  const search = useSearch();
  const [state, setState] = useState(() => (search ? fromAddress(search) : latest));
  const change = (part: Partial<typeof latest>) => {
    latest = { ...state, ...part };
    setState(latest);
    go(toAddress(latest.filters, latest.looks), { replace: true });
  };
  return { ...state, change };
}

/** Every look at the log is a record in it: none for each letter that is typed. */
const TYPING = 500;

function useSettled(filters: Filters): Filters {
  const [settled, setSettled] = useState(filters);
  useEffect(() => {
    const due = setTimeout(() => setSettled(filters), TYPING);
    return () => clearTimeout(due);
  }, [filters]);
  return settled;
}

/** `/audit/12` shows the log from record 12 back, with that one open. */
function useRecordInAddress(): number | undefined {
  const [, params] = useRoute("/audit/:record");
  return params && /^[1-9]\d{0,14}$/.test(params.record) ? Number(params.record) : undefined;
}

function Log() {
  const from = useRecordInAddress();
  return from === undefined ? <WholeLog /> : <LogFrom key={from} seq={from} />;
}

function LogFrom({ seq }: { seq: number }) {
  const log = useAudit(NO_FILTERS, false, seq);
  const entries = log.data?.pages.flatMap((page) => page.entries);
  return (
    <section className="stack" aria-labelledby="log">
      <div className="row apart">
        <h2 id="log">Record {seq.toLocaleString("en")} and what was before it</h2>
        <Link href="/audit" className="button">
          To the newest records
        </Link>
      </div>
      <Loaded query={{ ...log, data: entries }} what="the log">
        {(shown) =>
          shown[0]?.seq === seq ? (
            <AuditTable entries={shown} marked={seq} />
          ) : (
            <Empty title="There is no such record" />
          )
        }
      </Loaded>
      {log.hasNextPage && (
        <div>
          <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </section>
  );
}

function WholeLog() {
  const { filters, looks, change } = useAddressedFilters();
  const settled = useSettled(filters);
  const all = looks || settled.event_type.trim() !== "";
  const log = useAudit(settled, all);
  const { held, show } = useFollowing(keyOf(settled, all), queryOf(settled), all);
  const entries = log.data?.pages.flatMap((page) => page.entries);
  return (
    <>
      <Chain />
      <section className="stack" aria-labelledby="log">
        <div className="row apart">
          <h2 id="log">Log</h2>
          <span className="soft small">New records appear by themselves.</span>
        </div>
        <AuditFilters filters={filters} change={(next) => change({ filters: next })} types={typesOf(entries)} />
        <label className="row">
          <input type="checkbox" checked={looks} onChange={(event) => change({ looks: event.target.checked })} />
          What was only read too
        </label>
        <Loaded query={{ ...log, data: entries }} what="the log">
          {(shown) => (
            <Entries
              entries={shown}
              filters={filters}
              more={log.hasNextPage}
              clear={() => change({ filters: NO_FILTERS })}
            />
          )}
        </Loaded>
        <Newer count={held.length} show={show} />
        {log.hasNextPage && (
          <div>
            <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
              Show older
            </Button>
          </div>
        )}
      </section>
    </>
  );
}

/** Over the list, wherever the reader is in it. */
function Newer({ count, show }: { count: number; show: () => void }) {
  return (
    <div className={styles.newer} role="status">
      {count > 0 && (
        <Button kind="main" onClick={show}>
          <ArrowUp size={16} aria-hidden="true" /> {count === 1 ? "1 newer record" : `${count} newer records`}
        </Button>
      )}
    </div>
  );
}

function typesOf(entries: Entry[] | undefined): string[] {
  return [...new Set(entries?.map((entry) => entry.event_type))].sort();
}

interface ShownPage {
  entries: Entry[];
  filters: Filters;
  more: boolean;
  clear: () => void;
}

function Entries({ entries, filters, more, clear }: ShownPage) {
  if (entries.length > 0) return <AuditTable entries={entries} />;
  if (more) return <Empty title="Lately things were only read">What was done before is older.</Empty>;
  return (
    <Empty title={isFiltered(filters) ? "No record fits" : "Nothing is recorded yet"}>
      {isFiltered(filters) ? (
        <>
          <p>Words and names are compared whole.</p>
          <Button onClick={clear}>Clear the filters</Button>
        </>
      ) : (
        <p>Everything that agents and people change here leaves a record at once, and so does what is refused.</p>
      )}
    </Empty>
  );
}
