import { Search } from "lucide-react";
import type { KeyboardEvent } from "react";
import styles from "@/pages/notebooks/notebooks.module.css";
import type { Language } from "@/pages/notebooks/searching";

export const LANGUAGES: Language[] = [
  ..."py js ts tsx jsx rs c h cpp hpp sh css html htm java go rb php cs sql kt swift lua".split(" "),
  ..."json yaml yml toml xml md txt".split(" "),
] as Language[];

export interface Wish {
  text: string;
  everything: boolean;
  language: Language | undefined;
}

interface Props {
  wish: Wish;
  change: (part: Partial<Wish>) => void;
  /** Enter, arrow down and Escape are handled by the list of hits. */
  press: (key: "Enter" | "ArrowDown" | "Escape") => void;
  /** Whether the hits are on the page: only then it matters what to search in. */
  open: boolean;
  /** Shows the hits of the words that are still there. */
  show: () => void;
}

export function SearchBar({ wish, change, press, open, show }: Props) {
  const keyed = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== "ArrowDown" && event.key !== "Escape") return;
    event.preventDefault();
    press(event.key);
  };
  return (
    <search className={styles.search}>
      <div className={styles.field}>
        <Search size={16} aria-hidden="true" />
        <input
          type="search"
          data-search
          aria-label="Search the notebooks"
          placeholder="Search cells and scratchpads"
          autoComplete="off"
          spellCheck={false}
          maxLength={2000}
          value={wish.text}
          onChange={(event) => change({ text: event.target.value })}
          onClick={show}
          onKeyDown={keyed}
        />
        <span className={styles.key} aria-hidden="true">
          <kbd>/</kbd>
        </span>
      </div>
      {open && <Narrowing wish={wish} change={change} />}
    </search>
  );
}

function Narrowing({ wish, change }: Pick<Props, "wish" | "change">) {
  return (
    <div className={styles.narrowing}>
      <fieldset className={styles.scope}>
        <legend className="hidden-but-read">Where to search</legend>
        <label>
          <input type="radio" name="scope" checked={!wish.everything} onChange={() => change({ everything: false })} />{" "}
          Notebooks
        </label>
        <label>
          <input type="radio" name="scope" checked={wish.everything} onChange={() => change({ everything: true })} />{" "}
          Everything
        </label>
      </fieldset>
      <label className={styles.language}>
        <span>Language</span>
        <select
          value={wish.language ?? ""}
          onChange={(event) => change({ language: LANGUAGES.find((name) => name === event.target.value) })}
        >
          <option value="">any</option>
          {LANGUAGES.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
