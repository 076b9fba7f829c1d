import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiError, client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { untilExpired } from "@/pages/table/expiry";
import type { Fresh } from "@/pages/table/news";
import { TableHead } from "@/pages/table/TableHead";
import styles from "@/pages/table/table.module.css";
import { useRememberSeen, useWhatsNew, WhatsNewStrip, WhereItStands } from "@/pages/table/WhatsNew";
import { lazily } from "@/parts/lazily";
import { Empty, Loaded, Loading } from "@/parts/Notice";
import { Tabs } from "@/parts/Tabs";

const Corkboard = lazily(() => import("@/pages/table/notes/Corkboard"));
const Manuscript = lazily(() => import("@/pages/table/manuscript/Manuscript"));
const Checklist = lazily(() => import("@/pages/table/checklist/Checklist"));
const Messages = lazily(() => import("@/pages/table/messages/Messages"));
const Questions = lazily(() => import("@/pages/table/questions/Questions"));
const Activity = lazily(() => import("@/pages/table/activity/Activity"));

/** The tab without a name of its own in the address. */
const FIRST = "notes";

function useTable(id: string) {
  return useQuery({
    queryKey: keys.of(id, "overview"),
    queryFn: ({ signal }) =>
      unwrap(client.GET("/sessions/{session_id}/overview", { params: { path: { session_id: id } }, signal })),
    // Time runs out without an event.
    refetchInterval: ({ state }) => untilExpired(state.data?.session),
    refetchIntervalInBackground: true,
  });
}

/** Keeps the last data while a redaction resets the queries, so that the page around an open editor stays. */
function useLastData<T>({ data, error, refetch }: { data: T | undefined; error: unknown; refetch: () => unknown }) {
  const [kept, keep] = useState(data);
  if (data !== undefined && data !== kept) keep(data);
  return { data: data ?? kept, error, refetch };
}

/** One session: everything on the table, live. */
export default function Table({ id }: { id: string }) {
  const query = useLastData(useTable(id));
  const arrival = useWhatsNew(id);
  const { seen, news } = arrival;
  useRememberSeen(id, query.data?.last_seq);
  if (!query.data && query.error instanceof ApiError && [400, 404].includes(query.error.status)) return <NoSuchTable />;
  return (
    <div className="page">
      <Loaded query={query} what="the session">
        {({ session }) => (
          <TableTabs session={session} fresh={arrival.fresh}>
            <WhatsNewStrip key={seen?.seq} seen={seen} news={news} />
            <WhereItStands
              key={`${id} ${seen?.seq}`}
              id={id}
              since={arrival.since}
              isNews={Boolean(news?.parts.length)}
            />
          </TableTabs>
        )}
      </Loaded>
    </div>
  );
}

function NoSuchTable() {
  return (
    <Empty title="There is no such session">
      <p>It never was, or it ended so long ago that it was cleared away.</p>
      <Link href="/sessions">See all sessions</Link>
    </Empty>
  );
}

function TableTabs({ session, fresh, children }: { session: Schemas["TableView"]; fresh: Fresh; children: ReactNode }) {
  const id = session.session_id;
  const closed = session.status !== "active";
  const base = `/sessions/${encodeURIComponent(id)}`;
  const [location, go] = useLocation();
  const { tasks } = session;
  const tabs = [
    tab(FIRST, "Corkboard", session.notes, <Corkboard id={id} closed={closed} freshFrom={fresh.note} />),
    tab("draft", "Manuscript", session.sections, <Manuscript id={id} closed={closed} />),
    tab("plan", "Checklist", tasks.total, <Checklist id={id} closed={closed} />),
    tab(
      "messages",
      "Messages",
      session.messages,
      <Messages id={id} closed={closed} total={session.messages} freshFrom={fresh.message} />,
    ),
    tab(
      "questions",
      "Questions",
      session.open_questions,
      <Questions id={id} closed={closed} purpose={session.purpose} />,
    ),
    tab("activity", "Activity", null, <Activity id={id} />),
  ];
  const place = location.slice(base.length + 1).split("/")[0] ?? "";
  useTabInSight(place);
  const chosen = tabs.some((one) => one.id === place) ? place : FIRST;
  return (
    <>
      <TableHead session={session} at={location}>
        {children}
      </TableHead>
      <Tabs
        label="Parts of the session"
        tabs={tabs}
        chosen={chosen}
        choose={(part) => go(part === FIRST ? base : `${base}/${part}`)}
      />
    </>
  );
}

/** On a phone the row of tabs is longer than the screen. */
function useTabInSight(place: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is another tab
  useEffect(() => {
    const tab = document.querySelector('[role="tab"][data-state="active"]');
    tab?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [place]);
}

function tab(id: string, title: string, count: number | null, body: ReactNode) {
  return {
    id,
    title: (
      <>
        {title}
        {count !== null && count > 0 && <span className={styles.tabCount}>{count.toLocaleString("en")}</span>}
      </>
    ),
    body: <Suspense fallback={<Loading what={title.toLowerCase()} />}>{body}</Suspense>,
  };
}
