import { Pin } from "lucide-react";
import { useState } from "react";
import { pretty } from "@/pages/notebooks/CellView";
import { type Pad, useSchemas } from "@/pages/notebooks/data";
import { counted } from "@/pages/notebooks/findings";
import styles from "@/pages/notebooks/pad.module.css";
import { Badge } from "@/parts/Badge";
import { Code } from "@/parts/Code";
import { Markdown } from "@/parts/Markdown";
import { Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

/** Shown elsewhere on the page, so not again among the rest. */
const KNOWN = new Set(["title", "description", "summary", "namespace", "tags", "cell_tags", "schemas", "pinned"]);

export function PadAbout({ pad }: { pad: Pad }) {
  const { head } = pad;
  return (
    <div className={styles.about}>
      <p className={`row small soft ${styles.facts}`}>
        <span className="mono">
          <Text>{head.scratch_id}</Text>
        </span>
        {head.namespace === null ? (
          <span>in no namespace</span>
        ) : (
          <span>
            in{" "}
            <strong>
              <Text>{head.namespace}</Text>
            </strong>
          </span>
        )}
        <span>{counted(head.cell_count, "cell") || "no cells"}</span>
        <span>version {head.version}</span>
        <span>
          changed <Time at={head.updated_at} />
        </span>
        {head.metadata?.pinned === true && (
          <Badge tone="mark" title="Never evicted">
            <Pin size={13} aria-hidden="true" /> Pinned
          </Badge>
        )}
        {head.tags.map((tag) => (
          <Badge key={tag}>
            <Text>{tag}</Text>
          </Badge>
        ))}
      </p>
      {head.summary && (
        <p className={styles.summary}>
          <Text>{head.summary}</Text>
        </p>
      )}
      {head.description && <Markdown text={head.description} />}
      <div className={styles.folds}>
        <PadSchemas pad={pad} />
        <Rest metadata={head.metadata ?? {}} />
      </div>
    </div>
  );
}

function PadSchemas({ pad }: { pad: Pad }) {
  const [open, setOpen] = useState(false);
  const schemas = useSchemas(pad.head.scratch_id, open);
  const known = Object.keys((pad.head.metadata?.schemas as object | undefined) ?? {}).length;
  if (known === 0) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Shared schemas ({known})</summary>
      {open && (
        <Loaded query={schemas} what="the schemas">
          {(all) => (
            <ul className={`plain-list stack ${styles.schemas}`}>
              {all.map((schema) => (
                <li key={schema.id} className="stack">
                  <div>
                    <strong className="mono">
                      <Text>{schema.name}</Text>
                    </strong>{" "}
                    <span className="soft">{schema.description}</span>
                  </div>
                  <Code text={pretty(schema.schema)} language="json" />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      )}
    </details>
  );
}

function Rest({ metadata }: { metadata: Record<string, unknown> }) {
  const others = Object.entries(metadata).filter(([name]) => !KNOWN.has(name));
  if (others.length === 0) return null;
  return (
    <details>
      <summary>Other metadata ({others.length})</summary>
      <Code text={pretty(Object.fromEntries(others))} language="json" />
    </details>
  );
}
