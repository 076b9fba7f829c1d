import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw, ScrollText } from "lucide-react";
import { useEffect, useState } from "react";
import { useIsOwner } from "@/api/me";
import { keys } from "@/api/queries";
import { AuditFilters } from "@/pages/audit/AuditFilters";
import { AuditTable } from "@/pages/audit/AuditTable";
import { Chain } from "@/pages/audit/Chain";
import { type Entry, useAudit } from "@/pages/audit/data";
import { type Filters, isFiltered, NO_FILTERS } from "@/pages/audit/filters";
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
let latest = NO_FILTERS;
let latestLooks = false;

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

function Log() {
  const [filters, setFilters] = useState(latest);
  const [looks, setLooks] = useState(latestLooks);
  const settled = useSettled(filters);
  const log = useAudit(settled, looks || settled.event_type.trim() !== "");
  const queries = useQueryClient();
  const change = (next: Filters) => {
    latest = next;
    setFilters(next);
  };
  const showLooks = (next: boolean) => {
    latestLooks = next;
    setLooks(next);
  };
  // Back to one page: the records in between are not known, however many pages were open.
  const fromTheTop = () => void queries.resetQueries({ queryKey: keys.audit });
  const entries = log.data?.pages.flatMap((page) => page.entries);
  return (
    <>
      <Chain />
      <section className="stack" aria-labelledby="log">
        <div className="row apart">
          <h2 id="log">Log</h2>
          <Button busy={log.isFetching && !log.isFetchingNextPage} onClick={fromTheTop}>
            <RefreshCw size={16} aria-hidden="true" /> Newer entries
          </Button>
        </div>
        <AuditFilters filters={filters} change={change} types={typesOf(entries)} />
        <label className="row">
          <input type="checkbox" checked={looks} onChange={(event) => showLooks(event.target.checked)} />
          What was only read too
        </label>
        <Loaded query={{ ...log, data: entries }} what="the log">
          {(shown) => (
            <Entries entries={shown} filters={filters} more={log.hasNextPage} clear={() => change(NO_FILTERS)} />
          )}
        </Loaded>
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
