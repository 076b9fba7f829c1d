import { useState } from "react";
import { type NamespaceChoice, type NotebookFilter, useNamespaces, usePads, useTags } from "@/pages/notebooks/data";
import styles from "@/pages/notebooks/notebooks.module.css";
import { Button } from "@/parts/Button";
import { Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

const STEP = 30;

interface Props {
  filter: NotebookFilter;
  choose: (filter: NotebookFilter) => void;
}

/** Namespaces and tags: they narrow the list and the search alike. */
export function NotebookFilters({ filter, choose }: Props) {
  return (
    <div className={styles.filters}>
      <Namespaces filter={filter} choose={choose} />
      <Tags filter={filter} choose={choose} />
    </div>
  );
}

/** How many there are in all and in no namespace, where the first page of the list says so. */
function useCounts(inNamespaces: number | undefined) {
  const all = usePads({ namespace: "all", tag: undefined });
  if (all.data === undefined || all.hasNextPage || inNamespaces === undefined) return {};
  return { all: all.data.length, none: Math.max(0, all.data.length - inNamespaces) };
}

function Namespaces({ filter, choose }: Props) {
  const namespaces = useNamespaces();
  const [most, setMost] = useState(STEP);
  const known = namespaces.data ?? [];
  const counts = useCounts(namespaces.data?.reduce((sum, one) => sum + one.scratchpad_count, 0));
  const pick = (namespace: NamespaceChoice) => choose({ namespace, tag: filter.tag });
  const chosen = typeof filter.namespace === "object" ? filter.namespace.name : undefined;
  const shown = known.filter((one, index) => index < most || one.namespace === chosen);
  return (
    <section aria-labelledby="namespaces">
      <h2 id="namespaces">Namespaces</h2>
      {namespaces.error && <Problem of={namespaces.error} again={() => void namespaces.refetch()} />}
      <ul className="plain-list">
        <FilterItem chosen={filter.namespace === "all"} count={counts.all} pick={() => pick("all")} name="All" />
        {shown.map(({ namespace, scratchpad_count }) => (
          <FilterItem
            key={namespace}
            chosen={namespace === chosen}
            count={scratchpad_count}
            pick={() => pick({ name: namespace })}
            name={namespace}
          />
        ))}
        {counts.none !== 0 && (
          <FilterItem
            chosen={filter.namespace === "none"}
            count={counts.none}
            pick={() => pick("none")}
            name="No namespace"
          />
        )}
      </ul>
      {known.length > most && (
        <Button small kind="quiet" onClick={() => setMost((before) => before + 3 * STEP)}>
          More namespaces
        </Button>
      )}
    </section>
  );
}

function FilterItem({
  chosen,
  name,
  count,
  pick,
}: {
  chosen: boolean;
  name: string;
  count: number | undefined;
  pick: () => void;
}) {
  return (
    <li>
      <button type="button" className={styles.namespace} aria-pressed={chosen} onClick={pick}>
        <span className="clip">
          <Text>{name}</Text>
        </span>
        {count !== undefined && <span className={styles.count}>{count.toLocaleString("en")}</span>}
      </button>
    </li>
  );
}

function Tags({ filter, choose }: Props) {
  const tags = useTags(filter.namespace);
  const [most, setMost] = useState(STEP);
  const all = tags.data ?? [];
  const { tag: chosen } = filter;
  if (all.length === 0 && chosen === undefined) return null;
  const shown = all.slice(0, most);
  const listed = chosen === undefined || shown.includes(chosen) ? shown : [chosen, ...shown];
  return (
    <section aria-labelledby="tags">
      <h2 id="tags">Tags</h2>
      <ul className={`plain-list ${styles.tags}`}>
        {listed.map((tag) => (
          <li key={tag}>
            <button
              type="button"
              className={styles.tag}
              aria-pressed={tag === chosen}
              onClick={() => choose({ namespace: filter.namespace, tag: tag === chosen ? undefined : tag })}
            >
              <Text>{tag}</Text>
            </button>
          </li>
        ))}
      </ul>
      {all.length > most && (
        <Button small kind="quiet" onClick={() => setMost((before) => before + 3 * STEP)}>
          More tags
        </Button>
      )}
    </section>
  );
}
