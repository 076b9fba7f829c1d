import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { padAddress } from "@/pages/notebooks/address";
import { useIdsInUse, useTrash } from "@/pages/notebooks/data";
import { counted } from "@/pages/notebooks/findings";
import styles from "@/pages/notebooks/notebooks.module.css";
import padStyles from "@/pages/notebooks/pad.module.css";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { Empty, Loaded, Notice, Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";
import { PageHead } from "@/shell/PageHead";

type Trashed = Schemas["TrashedScratchpad"];

/** What happened to it, and why where that is not plain. */
const REASONS: Record<string, [string, string?]> = {
  deleted: ["Deleted"],
  reset: ["Reset", "It was created anew under the same id."],
  evicted: ["Evicted", "There were too many, or nobody used it."],
  replaced: ["Replaced", "Another came back from the trash."],
};

export function Trash() {
  const trash = useTrash();
  const inUse = useIdsInUse().data;
  const [swapping, setSwapping] = useState<Trashed>();
  const restoring = useRestore();
  const restore = (entry: Trashed) => {
    setSwapping(undefined);
    restoring.mutate(entry);
  };
  return (
    <>
      <Link href="/notebooks" className={padStyles.back}>
        <ArrowLeft size={15} aria-hidden="true" /> All scratchpads
      </Link>
      <PageHead
        title="Trash"
        about="Scratchpads that were deleted, reset or evicted. They wait here for some days, whole."
      />
      <RestoreOutcome restoring={restoring} again={restore} />
      <Loaded query={trash} what="the trash">
        {(entries) =>
          entries.length === 0 ? (
            <Empty icon={<Trash2 size={28} aria-hidden="true" />} title="The trash is empty">
              <p>What agents delete, reset or lose to eviction comes here first, so that nothing is gone by mistake.</p>
            </Empty>
          ) : (
            <ul className={`plain-list ${styles.pads}`} aria-label="Scratchpads in the trash">
              {entries.map((entry) => (
                <TrashEntry
                  key={entry.trash_id}
                  entry={entry}
                  taken={inUse?.has(entry.scratch_id) === true}
                  busy={restoring.isPending && restoring.variables.trash_id === entry.trash_id}
                  restore={(taken) => (taken ? setSwapping(entry) : restore(entry))}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {trash.hasNextPage && (
        <div>
          <Button busy={trash.isFetchingNextPage} onClick={() => void trash.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      <ExchangeDialog entry={swapping} close={() => setSwapping(undefined)} restore={restore} />
    </>
  );
}

function useRestore() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ trash_id }: Trashed) =>
      unwrap(client.POST("/trash/{trash_id}/restore", { params: { path: { trash_id } } })),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: keys.trash });
      void queries.invalidateQueries({ queryKey: keys.notebooks });
      // The button that was pressed goes with its entry.
      document.getElementById("content")?.focus({ preventScroll: true });
    },
  });
}

function RestoreOutcome({
  restoring,
  again,
}: {
  restoring: ReturnType<typeof useRestore>;
  again: (entry: Trashed) => void;
}) {
  if (restoring.error) return <Problem of={restoring.error} again={() => again(restoring.variables)} />;
  if (!restoring.data) return null;
  const { scratchpad, evicted_scratchpads: evicted = [] } = restoring.data;
  return (
    <Notice tone="good">
      <span>
        <Link href={padAddress(scratchpad.scratch_id)}>
          <Text>{scratchpad.title || scratchpad.scratch_id}</Text>
        </Link>{" "}
        is back, with {counted(scratchpad.cell_count, "cell") || "no cells"}.
      </span>
      {evicted.length > 0 && (
        <span>
          To make room, {counted(evicted.length, "scratchpad")} went to the trash: <Text>{evicted.join(", ")}</Text>
        </span>
      )}
    </Notice>
  );
}

function TrashEntry({
  entry,
  taken,
  busy,
  restore,
}: {
  entry: Trashed;
  taken: boolean;
  busy: boolean;
  restore: (taken: boolean) => void;
}) {
  const name = entry.title || entry.scratch_id;
  const [happened, why] = REASONS[entry.reason] ?? [entry.reason];
  return (
    <li className={styles.trashed}>
      <div className="stack">
        <span className={styles.padHead}>
          <strong className={styles.padTitle}>
            <Text>{name}</Text>
          </strong>
          <span className="soft small">{counted(entry.cell_count, "cell") || "no cells"}</span>
        </span>
        <span className="small">
          {happened} <Time at={entry.trashed_at} /> by <Text>{entry.trashed_by}</Text>.{" "}
          <span className="soft">
            {why} Gone for good <Time at={entry.expires_at} />.
          </span>
        </span>
        <span className={`small soft ${styles.padFacts}`}>
          <span className="mono clip">
            <Text>{entry.scratch_id}</Text>
          </span>
          {entry.namespace !== null && (
            <Badge tone="mark">
              <Text>{entry.namespace}</Text>
            </Badge>
          )}
          {taken && <Badge tone="warn">Id in use again</Badge>}
        </span>
      </div>
      <Button busy={busy} onClick={() => restore(taken)} aria-label={`Restore ${name}`}>
        Restore
      </Button>
    </li>
  );
}

function ExchangeDialog({
  entry,
  close,
  restore,
}: {
  entry: Trashed | undefined;
  close: () => void;
  restore: (entry: Trashed) => void;
}) {
  return (
    <Dialog
      open={entry !== undefined}
      close={close}
      title="Its id is in use again"
      about={
        <>
          A scratchpad <Text>{entry?.scratch_id ?? ""}</Text> is in use. If you restore this one, that one goes to the
          trash in exchange; nothing is lost.
        </>
      }
    >
      <div className="row">
        <Button kind="main" onClick={() => entry && restore(entry)}>
          Exchange them
        </Button>
        <Button onClick={close}>Leave it</Button>
      </div>
    </Dialog>
  );
}
