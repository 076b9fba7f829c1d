import { Columns3, Plus, Rows3, Search } from "lucide-react";
import { type FormEvent, useId } from "react";
import type { NoteFilter } from "@/pages/table/notes/arranging";
import type { NoteTags } from "@/pages/table/notes/data";
import styles from "@/pages/table/notes/notes.module.css";
import { Button } from "@/parts/Button";
import { Text } from "@/parts/Text";

/** So many tags are buttons, the others are in a list. */
const CHIPS = 10;

export type View = "columns" | "list";

/** Searches by words as the user types, and by meaning too on Enter. */
export function Finder(props: {
  filter: NoteFilter;
  change: (part: Partial<NoteFilter>) => void;
  counted: NoteTags;
  view: View;
  /** Left out where there is no choice. */
  choose: ((view: View) => void) | undefined;
  pin: (() => void) | undefined;
  /** Whether it is for others to pin notes. */
  refused: boolean;
}) {
  const { filter, change, counted, choose, pin } = props;
  const names = { text: useId(), author: useId() };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (filter.text.trim()) change({ meaning: true });
  };
  return (
    <div className="stack">
      <form className={styles.finder} onSubmit={submit}>
        <label htmlFor={names.text} className="hidden-but-read">
          Filter notes
        </label>
        <input
          id={names.text}
          type="search"
          data-search
          placeholder="Filter the notes"
          value={filter.text}
          onChange={(event) => change({ text: event.target.value, meaning: false })}
        />
        <Button type="submit" disabled={!filter.text.trim()}>
          <Search size={16} aria-hidden="true" /> Search
        </Button>
        <label htmlFor={names.author} className="hidden-but-read">
          Author
        </label>
        <select id={names.author} value={filter.author} onChange={(event) => change({ author: event.target.value })}>
          <option value="">All authors</option>
          {counted.authors.map(({ author, count }) => (
            <option key={author} value={author}>
              {author} ({count})
            </option>
          ))}
        </select>
        {choose && <Views view={props.view} choose={choose} />}
        {pin && (
          <Button kind="main" onClick={pin}>
            <Plus size={16} aria-hidden="true" /> Pin a note
          </Button>
        )}
        {props.refused && <span className={`soft small ${styles.refused}`}>Pinning is for owners and agents.</span>}
      </form>
      {counted.tags.length > 0 && <TagChips tags={counted.tags} filter={filter} change={change} />}
    </div>
  );
}

function Views({ view, choose }: { view: View; choose: (view: View) => void }) {
  return (
    <fieldset className={styles.views}>
      <legend className="hidden-but-read">Show the notes as</legend>
      <Button aria-pressed={view === "columns"} onClick={() => choose("columns")} title="Columns by tag">
        <Columns3 size={16} aria-hidden="true" />
        <span className="hidden-but-read">Columns by tag</span>
      </Button>
      <Button aria-pressed={view === "list"} onClick={() => choose("list")} title="One list, newest first">
        <Rows3 size={16} aria-hidden="true" />
        <span className="hidden-but-read">One list</span>
      </Button>
    </fieldset>
  );
}

function TagChips({
  tags,
  filter,
  change,
}: {
  tags: NoteTags["tags"];
  filter: NoteFilter;
  change: (part: Partial<NoteFilter>) => void;
}) {
  const shown = tags.filter(({ tag }, place) => place < CHIPS || filter.tags.includes(tag));
  const others = tags.filter((counted) => !shown.includes(counted));
  const toggle = (tag: string) =>
    change({ tags: filter.tags.includes(tag) ? filter.tags.filter((one) => one !== tag) : [...filter.tags, tag] });
  return (
    <fieldset className={styles.chips}>
      <legend className="hidden-but-read">Tags</legend>
      <div className={styles.chipRow}>
        {shown.map(({ tag, count }) => (
          <button
            key={tag}
            type="button"
            className={styles.chip}
            aria-pressed={filter.tags.includes(tag)}
            onClick={() => toggle(tag)}
          >
            <Text>{tag}</Text> <span className="soft">{count.toLocaleString("en")}</span>
          </button>
        ))}
      </div>
      {others.length > 0 && (
        <select
          className={styles.moreTags}
          aria-label="More tags"
          value=""
          onChange={(event) => toggle(event.target.value)}
        >
          <option value="">{others.length} more tags</option>
          {others.map(({ tag, count }) => (
            <option key={tag} value={tag}>
              {tag} ({count})
            </option>
          ))}
        </select>
      )}
    </fieldset>
  );
}
