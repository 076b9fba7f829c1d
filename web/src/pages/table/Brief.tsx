import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { client, unwrap } from "@/api/client";
import { type BriefPart, partsOf } from "@/pages/table/brief";
import styles from "@/pages/table/table.module.css";
import { Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";

/** Where the team stands, in headlines, as it was when somebody asked; with `since`, what is new. */
export default function Brief({ id, since }: { id: string; since: string | undefined }) {
  const query = useQuery({
    queryKey: ["brief", id, since],
    gcTime: 0,
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/sessions/{session_id}/brief", {
          params: { path: { session_id: id }, query: since ? { since } : {} },
          signal,
        }),
      ),
  });
  return (
    <Loaded query={query} what="the brief">
      {(brief) => <Parts id={id} parts={partsOf(brief, since !== undefined)} />}
    </Loaded>
  );
}

function Parts({ id, parts }: { id: string; parts: BriefPart[] }) {
  if (parts.length === 0) return <p className="soft">Nothing yet.</p>;
  return (
    <div className={styles.brief}>
      {parts.map(({ title, place, lines }) => (
        <section key={title}>
          <h2>
            <Link href={`/sessions/${encodeURIComponent(id)}/${place}`}>{title}</Link>
          </h2>
          <ul className="plain-list">
            {lines.map((line) => (
              <li key={line.id}>
                <Text>{line.text}</Text>{" "}
                <span className="soft">
                  <Text>{line.aside}</Text>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
