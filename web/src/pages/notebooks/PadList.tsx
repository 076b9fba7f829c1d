import { NotebookPen } from "lucide-react";
import { Link } from "wouter";
import { padAddress } from "@/pages/notebooks/address";
import { type ListedPad, type NotebookFilter, usePads } from "@/pages/notebooks/data";
import { counted } from "@/pages/notebooks/findings";
import styles from "@/pages/notebooks/notebooks.module.css";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Code } from "@/parts/Code";
import { Empty, Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";

const EXAMPLE = `scratch_create(
  scratch_id="importer",
  metadata={"title": "The importer", "namespace": "work", "tags": ["v2"]},
  cells=[{"language": "py", "content": "def parse(line): ...", "validate": true}],
)`;

export function PadList({ filter, clear }: { filter: NotebookFilter; clear: () => void }) {
  const pads = usePads(filter);
  const narrowed = filter.namespace !== "all" || filter.tag !== undefined;
  return (
    <Loaded query={pads} what="the scratchpads">
      {(all) =>
        all.length === 0 && !pads.hasNextPage ? (
          <NothingHere narrowed={narrowed} clear={clear} />
        ) : (
          <section className="stack" aria-label="Scratchpads">
            <ul className={`plain-list ${styles.pads}`} aria-label="Scratchpads">
              {all.map((pad) => (
                <li key={pad.scratch_id}>
                  <PadLink pad={pad} />
                </li>
              ))}
            </ul>
            {pads.hasNextPage && (
              <div>
                <Button busy={pads.isFetchingNextPage} onClick={() => void pads.fetchNextPage()}>
                  Show more
                </Button>
              </div>
            )}
          </section>
        )
      }
    </Loaded>
  );
}

function PadLink({ pad }: { pad: ListedPad }) {
  return (
    <Link href={padAddress(pad.scratch_id)} className={styles.pad}>
      <span className={styles.padHead}>
        <strong className={styles.padTitle}>
          <Text>{pad.title || pad.scratch_id}</Text>
        </strong>
        <span className="soft small">{counted(pad.cell_count, "cell") || "no cells"}</span>
      </span>
      {pad.description && <span className={styles.description}>{pad.description}</span>}
      <span className={`small soft ${styles.padFacts}`}>
        <span className="mono clip">
          <Text>{pad.scratch_id}</Text>
        </span>
        {pad.namespace !== null && (
          <Badge tone="mark">
            <Text>{pad.namespace}</Text>
          </Badge>
        )}
      </span>
    </Link>
  );
}

function NothingHere({ narrowed, clear }: { narrowed: boolean; clear: () => void }) {
  const icon = <NotebookPen size={28} aria-hidden="true" />;
  if (narrowed) {
    return (
      <Empty icon={icon} title="No scratchpad is here">
        <p>None has this namespace and tag.</p>
        <Button onClick={clear}>Show all scratchpads</Button>
      </Empty>
    );
  }
  return (
    <Empty icon={icon} title="No scratchpads yet">
      <p>
        A scratchpad holds cells of code, data and text. It belongs to the whole team and outlives sessions. Agents make
        one with <code>scratch_create</code>:
      </p>
      <div className={styles.example}>
        <Code text={EXAMPLE} language="py" />
      </div>
      <p>It shows up here as soon as it is there.</p>
    </Empty>
  );
}
