import { Search } from "lucide-react";
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useRested } from "@/pages/notebooks/searching";
import { Dialog } from "@/parts/Dialog";
import { Text } from "@/parts/Text";
import { useEntries, useHits } from "@/shell/palette/data";
import { type EntryGroup, moved, type PaletteEntry, shown } from "@/shell/palette/entries";
import styles from "@/shell/palette/palette.module.css";

interface Props {
  close: () => void;
  actions: PaletteEntry[];
}

/** Goes anywhere and finds anything, from any page. */
export default function Palette({ close, actions }: Props) {
  return (
    <Dialog open close={close} title="Go to, do or find">
      <PaletteSearch close={close} actions={actions} />
    </Dialog>
  );
}

function PaletteSearch({ close, actions }: Props) {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const go = useCallback((address: string) => navigate(address), [navigate]);
  const wanted = text.trim();
  const known = useEntries(actions, go);
  const listed = useMemo(() => shown(known, wanted), [known, wanted]);
  const hits = useHits(useRested(wanted), go, listed);
  const groups = useMemo(() => [...listed, ...hits.groups], [listed, hits.groups]);
  const all = groups.flatMap(({ entries }) => entries);
  const place = Math.min(at, Math.max(0, all.length - 1));
  useEffect(() => {
    // The dialog opens after this, and gives the focus to its first button.
    const later = setTimeout(() => field.current?.focus());
    return () => clearTimeout(later);
  }, []);
  useInSight(`${list}-${place}`);
  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    close();
    entry.act();
  };
  const keyed = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") choose(all[place]);
    else if (["ArrowDown", "ArrowUp"].includes(event.key)) setAt(moved(place, event.key, all.length));
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles.finder}>
      <div className={styles.field}>
        <Search size={18} aria-hidden="true" />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label="Pages, sessions, tasks, questions, agents, actions, and words in any text"
          aria-expanded={all.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={all.length > 0 ? `${list}-${place}` : undefined}
          placeholder="Type a name or any words"
          autoComplete="off"
          spellCheck={false}
          maxLength={500}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={keyed}
        />
      </div>
      <div id={list} role="listbox" aria-label="What was found" className={styles.list}>
        <PaletteGroups groups={groups} list={list} place={place} choose={choose} />
      </div>
      <p role="status" className="soft small">
        {all.length === 0 && wanted ? (hits.thinking ? "Searching…" : "Nothing has these words.") : ""}
        <span className="hidden-but-read">{all.length > 0 && `${all.length} found`}</span>
      </p>
    </div>
  );
}

interface PaletteGroupsProps {
  groups: EntryGroup[];
  list: string;
  place: number;
  choose: (entry: PaletteEntry) => void;
}

function PaletteGroups({ groups, list, place, choose }: PaletteGroupsProps) {
  let index = -1;
  return groups.map(({ title, entries }) => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
    <div key={title} role="group" aria-label={title}>
      <div className={styles.title} aria-hidden="true">
        {title}
      </div>
      {entries.map((entry) => {
        index += 1;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys, as in every combobox
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={entry.id}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === place}
            className={styles.option}
            onClick={() => choose(entry)}
          >
            <span className="clip">
              <Text>{entry.title}</Text>
            </span>
            {entry.about && (
              <span className={`clip soft small ${styles.about}`}>
                <Text>{entry.about}</Text>
              </span>
            )}
          </div>
        );
      })}
    </div>
  ));
}

function useInSight(id: string): void {
  useEffect(() => {
    // Newer browsers answer with a promise, which is no way to end an effect.
    void document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);
}
