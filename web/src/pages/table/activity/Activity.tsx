import {
  CircleDot,
  Footprints,
  ListTodo,
  type LucideIcon,
  MessageCircleQuestion,
  MessagesSquare,
  NotebookPen,
  ScanEye,
  StickyNote,
  Waypoints,
} from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";
import type { LiveEvent } from "@/live/event";
import styles from "@/pages/table/activity/activity.module.css";
import { useActivity, useNames } from "@/pages/table/activity/data";
import { belongs, callOf, familyOf, GROUPS, type Group, isGroup, placeOf } from "@/pages/table/activity/groups";
import { type ActivityRow, clockTime, dayTitle, linesOf } from "@/pages/table/activity/lines";
import { describeEvent, type Names } from "@/pages/table/activity/sentence";
import { plainText } from "@/pages/table/plainText";
import type { Recent } from "@/pages/table/recent";
import { Button } from "@/parts/Button";
import { Empty, Loaded, Problem } from "@/parts/Notice";
import { PageList } from "@/parts/PageList";
import { Text } from "@/parts/Text";
import { useNow } from "@/parts/Time";

const idOf = (line: ActivityRow) => line.id;

const ICONS: Record<ReturnType<typeof familyOf>, LucideIcon> = {
  notes: StickyNote,
  draft: NotebookPen,
  plan: ListTodo,
  questions: MessageCircleQuestion,
  messages: MessagesSquare,
  gateway: Waypoints,
  session: CircleDot,
  reading: ScanEye,
};

/** What happened at the table, newest first, in plain sentences. */
export default function Activity({ id }: { id: string }) {
  const activity = useActivity(id);
  return (
    <Loaded query={activity.query} what="the activity">
      {(data) => (
        <Events
          id={id}
          data={data}
          loading={activity.loading}
          problem={activity.problem}
          older={() => void activity.readOlder()}
        />
      )}
    </Loaded>
  );
}

interface Props {
  id: string;
  data: Recent<LiveEvent>;
  loading: boolean;
  problem: unknown;
  older: () => void;
}

function Events({ id, data, loading, problem, older }: Props) {
  const { group, actor, choose } = useActivityAddress();
  const names = useNames(id, data.items);
  const actors = useMemo(() => [...new Set(data.items.map((event) => event.actor))].sort(), [data.items]);
  const shown = useMemo(
    () => data.items.filter((event) => belongs(event, group, id) && (!actor || event.actor === actor)).reverse(),
    [data.items, group, actor, id],
  );
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => linesOf(shown, open), [shown, open]);
  const toggle = (id: string) => setOpen((now) => (now.has(id) ? without(now, id) : new Set([...now, id])));
  return (
    <div className="stack">
      <div className="row">
        <select
          className={styles.choice}
          aria-label="What happened"
          value={group}
          onChange={(event) => choose({ what: event.target.value, by: actor })}
        >
          {Object.entries(GROUPS).map(([key, title]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
        <select
          className={styles.choice}
          aria-label="By whom"
          value={actor}
          onChange={(event) => choose({ what: group, by: event.target.value })}
        >
          <option value="">By anybody</option>
          {actors.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {shown.length === 0 && <NoEvents older={data.older} />}
      <PageList items={lines} label="Activity, newest first" idOf={idOf} estimate={44} gap={0}>
        {(line) => {
          if (line.kind === "day") return <DayLine at={line.at} />;
          if (line.kind === "event") return <ActivityLine event={line.event} names={names} session={id} />;
          const newest = line.events[0] as LiveEvent;
          const more = { count: line.events.length - 1, open: open.has(line.id), toggle: () => toggle(line.id) };
          return <ActivityLine event={newest} names={names} session={id} more={more} />;
        }}
      </PageList>
      {problem !== null && <Problem of={problem} />}
      {data.older && (
        <div>
          <Button busy={loading} onClick={older}>
            Show older
          </Button>
        </div>
      )}
    </div>
  );
}

/** What is shown stands in the address. */
function useActivityAddress() {
  const [path] = useBrowserLocation();
  const [, go] = useLocation();
  const address = new URLSearchParams(useSearch());
  const what = address.get("what") ?? "";
  const group: Group = isGroup(what) ? what : "changes";
  return {
    group,
    actor: address.get("by") ?? "",
    choose: (next: { what: string; by: string }) => {
      const chosen = Object.entries(next).filter(([, value]) => value && value !== "changes");
      const search = new URLSearchParams(chosen).toString();
      go(search ? `${path}?${search}` : path, { replace: true });
    },
  };
}

function without(ids: ReadonlySet<string>, gone: string): ReadonlySet<string> {
  return new Set([...ids].filter((id) => id !== gone));
}

function DayLine({ at }: { at: string }) {
  const now = useNow();
  return <h2 className={styles.day}>{dayTitle(at, now)}</h2>;
}

function When({ event }: { event: LiveEvent }) {
  const Icon = ICONS[familyOf(event)];
  return (
    <span className={`soft small ${styles.when}`}>
      <Icon size={16} aria-hidden="true" />
      <time dateTime={event.timestamp} title={new Date(event.timestamp).toLocaleString()}>
        {clockTime(event.timestamp)}
      </time>
    </span>
  );
}

/** How many events like one came with it. */
interface MoreAlike {
  count: number;
  open: boolean;
  toggle: () => void;
}

interface LineProps {
  event: LiveEvent;
  names: Names;
  session: string;
  more?: MoreAlike;
}

function ActivityLine({ event, names, session, more }: LineProps) {
  const { actor, action, preview } = describeEvent(event, names);
  const place = placeOf(event);
  const address = callOf(event) ?? (place === null ? null : `/sessions/${encodeURIComponent(session)}${place}`);
  return (
    <div className={styles.line}>
      <When event={event} />
      <span className={styles.what}>
        {actor !== null && (
          <>
            <strong>
              <Text>{actor}</Text>
            </strong>{" "}
          </>
        )}
        {address === null ? <Text>{action}</Text> : <Go address={address} action={action} />}
        {more && (
          <Button kind="quiet" small aria-expanded={more.open} onClick={more.toggle}>
            {more.open ? "Fold" : `and ${more.count} more like it`}
          </Button>
        )}
        {preview && (
          <span className={`clip soft small ${styles.preview}`}>
            <Text>{plainText(preview).replace(/\s+/g, " ")}</Text>
          </span>
        )}
      </span>
    </div>
  );
}

function Go({ address, action }: { address: string; action: string }) {
  return (
    <Link href={address} className={styles.go}>
      <Text>{action}</Text>
    </Link>
  );
}

function NoEvents({ older }: { older: boolean }) {
  return (
    <Empty icon={<Footprints size={28} aria-hidden="true" />} title="Nothing of this kind happened lately">
      <p>
        {older
          ? "Older events may have it: show them below."
          : "Everything that agents and people do here is listed as it happens."}
      </p>
    </Empty>
  );
}
