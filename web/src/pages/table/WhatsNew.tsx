import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useMe } from "@/api/me";
import { useLiveEvents } from "@/live/EventStreamProvider";
import { momentBefore } from "@/pages/table/brief";
import { useNarrow } from "@/pages/table/narrow";
import { eventsSince, type Fresh, fresher, NOTHING_FRESH, newsOf } from "@/pages/table/news";
import { lastSeen, remember, type Seen } from "@/pages/table/seen";
import styles from "@/pages/table/table.module.css";
import { Button } from "@/parts/Button";
import { lazily } from "@/parts/lazily";
import { Loading } from "@/parts/Notice";
import { Time } from "@/parts/Time";

const Brief = lazily(() => import("@/pages/table/Brief"));

/** After so long, what is on the screen counts as seen. */
const LOOKED = 10_000;

/** A return to the page after this time counts as a new visit. */
const AWAY = 60_000;

/** What is new since this person last looked: from the events before this visit, and from those during it. */
export function useWhatsNew(id: string) {
  const [seen, setSeen] = useState(() => lastSeen(id));
  const me = useMe().data?.agent ?? "";
  const [live, setLive] = useState<Fresh>(NOTHING_FRESH);
  useLiveEvents((event) => {
    if (event.session_id === id) setLive((fresh) => fresher(fresh, [event], me));
  });
  useReturn(() => {
    setSeen(lastSeen(id));
    setLive(NOTHING_FRESH);
  });
  // Read once for a visit, not with every event: what comes in meanwhile is seen as it comes.
  const before = useQuery({
    queryKey: ["since", id, seen?.seq],
    enabled: seen !== null,
    gcTime: 0,
    queryFn: ({ signal }) => eventsSince(id, seen?.seq ?? 0, signal),
  });
  const { data } = before;
  const news = useMemo(() => data && newsOf(data.events, me, data.cut), [data, me]);
  const fresh = useMemo(() => (data ? fresher(live, data.events, me) : live), [live, data, me]);
  const since = useMemo(() => data && !data.cut && momentBefore(data.events), [data]);
  return { seen, news, fresh, since: since || (seen ? new Date(seen.at).toISOString() : undefined) };
}

function useReturn(returned: () => void): void {
  const latest = useRef(returned);
  latest.current = returned;
  useEffect(() => {
    let left = Number.POSITIVE_INFINITY;
    const change = () => {
      if (document.visibilityState === "hidden") left = Date.now();
      else if (Date.now() - left > AWAY) latest.current();
    };
    document.addEventListener("visibilitychange", change);
    return () => document.removeEventListener("visibilitychange", change);
  }, []);
}

/** Remembers the last event that was seen: after a while, and when the user leaves. Events that arrive while the page is
 * hidden is not seen. */
export function useRememberSeen(id: string, seq: number | undefined): void {
  const latest = useRef(seq);
  const shown = useRef(seq);
  const visible = document.visibilityState === "visible";
  latest.current = seq;
  if (visible) shown.current = seq;
  const [looked, setLooked] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLooked(true), LOOKED);
    let here = true;
    const note = () => {
      if (here && shown.current !== undefined) remember(id, { seq: shown.current, at: Date.now() });
    };
    const change = () => {
      if (document.visibilityState === "hidden") note();
      else shown.current = latest.current;
      here = document.visibilityState === "visible";
    };
    document.addEventListener("visibilitychange", change);
    window.addEventListener("pagehide", note);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", change);
      window.removeEventListener("pagehide", note);
      note();
    };
  }, [id]);
  useEffect(() => {
    if (looked && visible && seq !== undefined) remember(id, { seq, at: Date.now() });
  }, [id, looked, visible, seq]);
}

export function WhatsNewStrip({ seen, news }: { seen: Seen | null; news: ReturnType<typeof newsOf> | undefined }) {
  const [dismissed, setDismissed] = useState(false);
  if (!seen || !news || news.parts.length === 0 || dismissed) return null;
  const dismiss = () => {
    setDismissed(true);
    document.getElementById("content")?.focus({ preventScroll: true });
  };
  return (
    <section className={styles.strip} aria-label="Since you last looked">
      <span>
        <strong>Since you last looked</strong> (<Time at={new Date(seen.at).toISOString()} />
        ): {news.cut && "at least "}
        {news.parts.join(", ")}
      </span>
      <Button kind="quiet" aria-label="Dismiss what is new" onClick={dismiss}>
        <X size={16} aria-hidden="true" />
      </Button>
    </section>
  );
}

/** The brief of the session: folded, unless somebody comes back to something new and has the room for it. */
export function WhereItStands({ id, since, isNews }: { id: string; since: string | undefined; isNews: boolean }) {
  const narrow = useNarrow();
  const [chosen, choose] = useState<boolean>();
  const open = chosen ?? (isNews && !narrow);
  return (
    <details className={styles.fold} open={open} onToggle={(event) => choose(event.currentTarget.open)}>
      <summary>Where the team stands</summary>
      {open && (
        <Suspense fallback={<Loading what="the brief" />}>
          <Brief id={id} since={isNews ? since : undefined} />
        </Suspense>
      )}
    </details>
  );
}
