import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { useRested } from "@/pages/notebooks/searching";
import styles from "@/pages/table/messages/messages.module.css";
import { plainText } from "@/pages/table/plainText";
import { useSearchParam } from "@/parts/address";
import { Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

const HITS = 50;

interface Props {
  id: string;
  /** Shown while nothing is searched for. */
  children: ReactNode;
}

/** Looks for words in the messages of a session, or goes to a day. */
export function FindMessages({ id, children }: Props) {
  const [text, setText] = useSearchParam("q");
  const wanted = useRested(text.trim());
  return (
    <>
      <search className={styles.find}>
        <input
          type="search"
          data-search
          aria-label="Search the messages"
          placeholder="Search the messages"
          autoComplete="off"
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <DayJump id={id} />
      </search>
      {wanted ? <MessageHits id={id} text={wanted} /> : children}
    </>
  );
}

function useMessageHits(id: string, text: string) {
  const query = { q: text, mode: "keyword" as const, kinds: ["message" as const], session_id: id, limit: HITS };
  return useQuery({
    queryKey: [...keys.of(id, "messages"), "search", text],
    gcTime: 30_000,
    queryFn: ({ signal }) => unwrap(client.GET("/search", { params: { query }, signal })),
  });
}

function MessageHits({ id, text }: { id: string; text: string }) {
  const { data, error, refetch } = useMessageHits(id, text);
  if (error) return <Problem of={error} again={() => void refetch()} />;
  const hits = data?.hits ?? [];
  return (
    <div className={styles.hits}>
      <p className="soft small" role="status">
        {data === undefined ? "Searching…" : hits.length === 0 ? "No message has these words." : `${hits.length} found`}
      </p>
      <ul className="plain-list" aria-label="Messages found, best first">
        {hits.map((hit) => (
          <li key={hit.id}>
            <Link
              href={`/sessions/${encodeURIComponent(id)}/messages/${encodeURIComponent(hit.id)}`}
              className={styles.hit}
            >
              <span className="soft small">{hit.id}</span>
              <span>
                <Text>{plainText(hit.snippet).replace(/\s+/g, " ")}</Text>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The first message since a day began, where the person is. */
function DayJump({ id }: { id: string }) {
  const [, go] = useLocation();
  const jump = useMutation({
    mutationFn: async (day: string) => {
      const since = new Date(`${day}T00:00:00`).toISOString();
      const options = { params: { path: { session_id: id }, query: { since, order: "oldest" as const, limit: 1 } } };
      return (await unwrap(client.GET("/sessions/{session_id}/messages", options))).messages[0];
    },
    onSuccess: (first) => {
      if (first) go(`/sessions/${encodeURIComponent(id)}/messages/${first.id}`);
    },
  });
  // While somebody types the year 2026 the field holds the years 2, 20 and 202.
  return (
    <>
      <input
        type="date"
        aria-label="Go to a day"
        title="Go to a day"
        max="9999-12-31"
        onChange={(event) => event.target.value >= "1000" && jump.mutate(event.target.value)}
      />
      {jump.isSuccess && !jump.data && (
        <span className="soft small" role="status">
          Nothing was said since then.
        </span>
      )}
      {jump.error && <Problem of={jump.error} />}
    </>
  );
}
