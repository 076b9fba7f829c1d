import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import styles from "@/pages/table/checklist/checklist.module.css";
import { untilExpired } from "@/pages/table/expiry";
import { RedactButton } from "@/pages/table/Redact";
import { TOMBSTONE } from "@/pages/table/redactable";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Confirm } from "@/parts/Confirm";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

type Reservation = Schemas["ReservationView"];

function useReservations(id: string): Reservation[] {
  const { data } = useQuery({
    queryKey: keys.of(id, "reservations"),
    queryFn: ({ signal }) =>
      unwrap(client.GET("/sessions/{session_id}/reservations", { params: { path: { session_id: id } }, signal })),
    // They run out without an event.
    refetchInterval: ({ state }) => untilExpired(firstToEnd(state.data?.reservations ?? [])),
  });
  return data?.reservations ?? [];
}

function firstToEnd(reservations: Reservation[]) {
  const ends = reservations.map((each) => each.expires_at).sort();
  return ends[0] === undefined ? undefined : ({ status: "active", expires_at: ends[0] } as const);
}

/** Which files agents have reserved, if any, each with its holder. */
export default function Reservations({ id, closed }: { id: string; closed: boolean }) {
  const reservations = useReservations(id);
  const [chosen, choose] = useState<Reservation>();
  if (reservations.length === 0) return null;
  return (
    <details className={styles.reserved} open>
      <summary>Reserved files: {reservations.length}</summary>
      <ul className="plain-list" aria-label="Reserved files">
        {reservations.map((each) => (
          <li key={`${each.path}\n${each.agent}`} className="row small">
            <code>
              <Text>{each.path}</Text>
            </code>
            <strong>
              <Text>{each.agent}</Text>
            </strong>
            {each.mode === "shared" && <Badge>shared</Badge>}
            {each.reason && <Text>{each.reason}</Text>}
            <span className="soft">
              ends <Time at={each.expires_at} />
            </span>
            {each.reason && each.reason !== TOMBSTONE && (
              <RedactButton session={id} thing={{ kind: "reservation", id: each.path }} subject="the reason" />
            )}
            {!closed && (
              <Button kind="quiet" aria-label={`Release ${each.path}`} onClick={() => choose(each)}>
                Release
              </Button>
            )}
          </li>
        ))}
      </ul>
      {chosen && <ReleaseDialog id={id} reservation={chosen} close={() => choose(undefined)} />}
    </details>
  );
}

function ReleaseDialog({ id, reservation, close }: { id: string; reservation: Reservation; close: () => void }) {
  const queries = useQueryClient();
  const { path, agent } = reservation;
  const release = useMutation({
    mutationFn: () =>
      unwrap(
        client.DELETE("/sessions/{session_id}/reservations", {
          params: { path: { session_id: id }, query: { paths: [path], agent, force: true } },
        }),
      ),
    onSuccess: close,
    onSettled: () => void queries.invalidateQueries({ queryKey: keys.of(id, "reservations") }),
  });
  return (
    <Confirm
      open
      close={close}
      title="Release these files?"
      about={
        <>
          <Text>{agent}</Text> may still be at work on <Text>{path}</Text>. It is recorded that you released it.
        </>
      }
      action="Release"
      kind="bad"
      busy={release.isPending}
      problem={release.error}
      act={() => release.mutate()}
    />
  );
}
