import { Download } from "lucide-react";
import { useState } from "react";
import styles from "@/pages/connect/connect.module.css";
import { type Access, CLIENTS, type Client, type Snippet, type Way, waysOf } from "@/pages/connect/snippets";
import { Code } from "@/parts/Code";
import { Copy } from "@/parts/Copy";
import { Tabs } from "@/parts/Tabs";

export function Snippets({ access }: { access: Access }) {
  const [chosen, choose] = useState(CLIENTS[0]?.id ?? "");
  const tabs = CLIENTS.map((client) => ({
    id: client.id,
    title: client.name,
    body: <ClientWays client={client} access={access} />,
  }));
  return (
    <section className="stack" aria-labelledby="clients">
      <h2 id="clients">Your program</h2>
      <Tabs label="Your program" tabs={tabs} chosen={chosen} choose={choose} />
    </section>
  );
}

function ClientWays({ client, access }: { client: Client; access: Access }) {
  return (
    <div className={styles.ways}>
      {waysOf(client, access).map((way) => (
        <WayPart key={way.id} way={way} />
      ))}
    </div>
  );
}

const TITLES = { http: "Over HTTP", stdio: "As a process (stdio)" };

function WayPart({ way }: { way: Way }) {
  return (
    <section className="card stack" aria-label={TITLES[way.id]}>
      <div className={styles.wayHead}>
        <h3>{TITLES[way.id]}</h3>
        {way.link && (
          <a className="button" data-kind="plain" data-small href={way.link.href}>
            <Download size={14} aria-hidden="true" />
            {way.link.label}
          </a>
        )}
      </div>
      {way.snippets.map((snippet) => (
        <SnippetPart key={snippet.place} snippet={snippet} way={TITLES[way.id]} />
      ))}
      {way.note && <p className="small soft">{way.note}</p>}
      {way.id === "stdio" && (
        <p className="small soft">
          The process must find the store of this server: the same machine and user, and the same{" "}
          <code>--data-dir</code> or <code>--store</code> if this server was given one. If the program does not find{" "}
          <code>longtable</code>, write the full path that <code>command -v longtable</code> prints.
        </p>
      )}
    </section>
  );
}

function SnippetPart({ snippet, way }: { snippet: Snippet; way: string }) {
  return (
    <figure className={`stack ${styles.snippet}`} aria-label={`${way}: ${snippet.place}`}>
      <figcaption className="small">
        <span>{snippet.place}</span>
        <Copy text={snippet.text} />
      </figcaption>
      <Code text={snippet.text} language={snippet.language} />
    </figure>
  );
}
