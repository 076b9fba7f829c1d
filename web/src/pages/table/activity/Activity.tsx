import { Footprints } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import type { LiveEvent } from "@/live/event";
import styles from "@/pages/table/activity/activity.module.css";
import { useActivity, useNames } from "@/pages/table/activity/data";
import { belongs, callOf, GROUPS, type Group, isGroup, placeOf } from "@/pages/table/activity/groups";
import { describeEvent, type Names } from "@/pages/table/activity/sentence";
import { plainText } from "@/pages/table/plainText";
import type { Recent } from "@/pages/table/recent";
import { Button } from "@/parts/Button";
import { Empty, Loaded, Problem } from "@/parts/Notice";
import { PageList } from "@/parts/PageList";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

const idOf = (event: LiveEvent) => event.seq;

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
  const [group, setGroup] = useState<Group>("changes");
  const [actor, setActor] = useState("");
  const names = useNames(id, data.items);
  const actors = useMemo(() => [...new Set(data.items.map((event) => event.actor))].sort(), [data.items]);
  const shown = useMemo(
    () => data.items.filter((event) => belongs(event, group, id) && (!actor || event.actor === actor)).reverse(),
    [data.items, group, actor, id],
  );
  return (
    <div className="stack">
      <div className="row">
        <select
          className={styles.choice}
          aria-label="What happened"
          value={group}
          onChange={(event) => setGroup(isGroup(event.target.value) ? event.target.value : "changes")}
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
          onChange={(event) => setActor(event.target.value)}
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
      <PageList items={shown} label="Activity, newest first" idOf={idOf} estimate={44} gap={0}>
        {(event) => <ActivityLine event={event} names={names} session={id} />}
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

function ActivityLine({ event, names, session }: { event: LiveEvent; names: Names; session: string }) {
  const { actor, action, preview } = describeEvent(event, names);
  const place = placeOf(event);
  const address = callOf(event) ?? (place === null ? null : `/sessions/${encodeURIComponent(session)}${place}`);
  return (
    <div className={styles.line}>
      <span className={`soft small ${styles.when}`}>
        <Time at={event.timestamp} />
      </span>
      <span className={styles.what}>
        {actor !== null && (
          <>
            <strong>
              <Text>{actor}</Text>
            </strong>{" "}
          </>
        )}
        {address === null ? <Text>{action}</Text> : <Go address={address} action={action} />}
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
