import { Wrench } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { Link } from "wouter";
import { type Tool, type Upstream, useUpstreams } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { LAYERS, whoConfirms } from "@/pages/gateway/words";
import { useSearchParam } from "@/parts/address";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Empty, Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";

const STEP = 100;
type Offered = Tool & { upstream: string };

export function Tools() {
  return (
    <Loaded query={useUpstreams()} what="the tools">
      {({ upstreams }) => <ToolList upstreams={upstreams} />}
    </Loaded>
  );
}

function ToolList({ upstreams }: { upstreams: Upstream[] }) {
  const [filter, setFilter] = useSearchParam("q");
  const all = useMemo(
    () => upstreams.flatMap(({ name, tools }) => tools.map((tool): Offered => ({ ...tool, upstream: name }))),
    [upstreams],
  );
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = all.filter((tool) => {
    const text = `${tool.identity} ${tool.name} ${tool.reason}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (all.length === 0) {
    return (
      <Empty icon={<Wrench size={28} aria-hidden="true" />} title="No tools are known yet">
        <p>
          They appear as soon as an upstream answers. <Link href="/gateway">How the upstreams are</Link>
        </p>
      </Empty>
    );
  }
  return (
    <div className={styles.groups}>
      <div className={`row ${styles.tools}`}>
        <label>
          Find a tool
          <input type="search" data-search value={filter} onChange={(event) => setFilter(event.target.value)} />
        </label>
        <p className="soft small" role="status">
          {shown.length === all.length ? `${all.length} tools` : `${shown.length} of ${all.length} tools`}
        </p>
      </div>
      {shown.length === 0 && <p className="soft">No tool has these words in its name or its reason.</p>}
      {LAYERS.map((layer) => (
        <Layer key={layer.layer} {...layer} tools={shown.filter((tool) => tool.layer === layer.layer)} />
      ))}
    </div>
  );
}

function Layer({ title, word, about, tools }: { title: string; word: string; about: string; tools: Offered[] }) {
  const id = useId();
  const [most, setMost] = useState(STEP);
  if (tools.length === 0) return null;
  return (
    <section className={`stack ${styles.layer}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>
          {title} <span className="soft">({tools.length})</span>
        </h2>
        <p className="soft small">
          {about} In rules: <code>{word}</code>
        </p>
      </header>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Tool</th>
            <th>Who is asked</th>
            <th>Why</th>
          </tr>
        </thead>
        <tbody>
          {tools.slice(0, most).map((tool) => (
            <ToolRow key={tool.name} tool={tool} />
          ))}
        </tbody>
      </table>
      {tools.length > most && (
        <div>
          <Button onClick={() => setMost(most + STEP)}>Show more</Button>
        </div>
      )}
    </section>
  );
}

function ToolRow({ tool }: { tool: Offered }) {
  return (
    <tr>
      <td>
        <span className="row">
          <strong>
            <Text>{tool.identity}</Text>
          </strong>
          {tool.quarantined && (
            <Link href="/gateway/quarantine">
              <Badge tone="warn">Held back</Badge>
            </Link>
          )}
        </span>
        <span className={`mono soft ${styles.name}`}>
          <Text>{tool.name}</Text>
        </span>
      </td>
      <td data-name="Who is asked">{whoConfirms(tool.confirm)}</td>
      <td data-name="Why">
        <Text>{tool.reason}</Text>
      </td>
    </tr>
  );
}
