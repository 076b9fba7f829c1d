import { Trash2 } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { Link, useSearch as useAddressSearch, useLocation } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";
import { browseAddress, filterIn, type Place, placeOf, wishIn } from "@/pages/notebooks/address";
import type { NotebookFilter } from "@/pages/notebooks/data";
import { Hits } from "@/pages/notebooks/Hits";
import { addressOf } from "@/pages/notebooks/hits";
import { NotebookFilters } from "@/pages/notebooks/NotebookFilters";
import styles from "@/pages/notebooks/notebooks.module.css";
import { PadList } from "@/pages/notebooks/PadList";
import { PadView } from "@/pages/notebooks/PadView";
import { SearchBar, type Wish } from "@/pages/notebooks/SearchBar";
import { HITS, kindsIn, useRested, useSearch } from "@/pages/notebooks/searching";
import { Trash } from "@/pages/notebooks/Trash";
import { PageHead } from "@/shell/PageHead";

const EVERY: NotebookFilter = { namespace: "all", tag: undefined };

export default function Notebooks() {
  const [path] = useBrowserLocation();
  const place = placeOf(path);
  const { filter, setFilter, begun, write } = useNotebooksAddress();
  const search = useSearchPanel(filter, begun);
  usePlaceShown(path, search.close);
  const browsing = search.open || place.at === "browse";
  const { wish } = search;
  useEffect(() => {
    if (place.at === "browse") write(filter, wish);
  }, [place.at, write, filter, wish]);
  return (
    <div className={`page ${styles.page}`}>
      {browsing && (
        <PageHead
          title="Notebooks"
          about="Scratchpads of the team: cells of code, data and text that outlive sessions."
        >
          <Link href="/notebooks/trash" className="button">
            <Trash2 size={16} aria-hidden="true" /> Trash
          </Link>
        </PageHead>
      )}
      <SearchBar wish={search.wish} change={search.change} press={search.press} open={search.open} show={search.show} />
      {browsing ? (
        <div className={styles.columns}>
          <NotebookFilters filter={filter} choose={setFilter} />
          {search.open ? <Hits {...search.hits} /> : <PadList filter={filter} clear={() => setFilter(EVERY)} />}
        </div>
      ) : (
        <Elsewhere place={place} />
      )}
    </div>
  );
}

function Elsewhere({ place }: { place: Place }) {
  if (place.at === "pad") return <PadView key={place.id} id={place.id} cell={place.cell} />;
  return <Trash />;
}

/** A new place begins at its top, with the focus on it: the link that led there is gone. */
function usePlaceShown(path: string, closeSearch: () => void): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    closeSearch();
    window.scrollTo(0, 0);
    document.getElementById("content")?.focus({ preventScroll: true });
  }, [path, closeSearch]);
}

/** What is searched for and filtered stands in the address of the list. */
function useNotebooksAddress() {
  const [, go] = useLocation();
  const search = useAddressSearch();
  const [begun] = useState(() => wishIn(search));
  const [filter, setFilter] = useState(() => filterIn(search));
  const write = useCallback(
    (chosen: NotebookFilter, wish: Wish) => {
      const address = browseAddress(chosen, wish);
      if (location.pathname + location.search !== address) go(address, { replace: true });
    },
    [go],
  );
  return { filter, setFilter, begun, write };
}

function useSearchPanel(filter: NotebookFilter, begun: Wish) {
  const [wish, setWish] = useState<Wish>(begun);
  const [searching, setSearching] = useState(begun.text !== "");
  const [limit, setLimit] = useState(HITS);
  const [walking, setWalking] = useState(false);
  const [close] = useState(() => () => {
    setSearching(false);
    setWalking(false);
  });
  const [, go] = useLocation();
  const list = useRef<HTMLUListElement>(null);
  const rested = useRested(wish.text.trim());
  const request = { ...filter, ...wish, kinds: kindsIn(wish.everything), text: searching ? rested : "", limit };
  const found = useSearch(request, walking);
  const open = searching && wish.text.trim() !== "";
  const leave = () => {
    setWalking(false);
    document.querySelector<HTMLElement>("[data-search]")?.focus();
  };
  const first = found.settled && rested === wish.text.trim() ? found.hits[0] : undefined;
  return {
    open,
    wish,
    close,
    show: () => setSearching(true),
    change: (part: Partial<Wish>) => {
      setWish((before) => ({ ...before, ...part }));
      setSearching(true);
      setWalking(false);
      setLimit(HITS);
    },
    press: (key: "Enter" | "ArrowDown" | "Escape") => {
      if (key === "Escape") {
        if (open) close();
        else setWish((before) => ({ ...before, text: "" }));
      } else if (!open) setSearching(true);
      else if (key === "Enter" && first) go(addressOf(first));
      else if (key === "ArrowDown" && found.hits.length > 0) {
        setWalking(true);
        list.current?.querySelector("a")?.focus();
      }
    },
    hits: { text: rested, found, list, leave, opened: close, showMore: setLimit },
  };
}
