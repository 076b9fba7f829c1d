import { StickyNote } from "lucide-react";
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from "react";
import { useIsOwner, useMe } from "@/api/me";
import { useNarrow } from "@/pages/table/narrow";
import { numberOf } from "@/pages/table/news";
import {
  authorsOf,
  columnsOf,
  filtered,
  type NoteFilter,
  newestFirst,
  successors,
  tagsOf,
} from "@/pages/table/notes/arranging";
import { type Note, type NoteQuery, useFoundNotes, useNotes } from "@/pages/table/notes/data";
import { Finder, type View } from "@/pages/table/notes/Finder";
import { NoteBoard } from "@/pages/table/notes/NoteBoard";
import { NoteCard } from "@/pages/table/notes/NoteCard";
import { PinNote } from "@/pages/table/notes/PinNote";
import { RedactDialog } from "@/pages/table/Redact";
import { Button } from "@/parts/Button";
import { Empty, Loading, Problem } from "@/parts/Notice";
import { PageList } from "@/parts/PageList";

const NO_NOTES: Note[] = [];
const NO_FILTER: NoteFilter = { text: "", tags: new Set(), author: "" };
const VIEW = "longtable-corkboard";
const idOf = (note: Note) => note.id;

type OpenDialog = { act: "pin" | "replace" | "redact"; note: Note | null };

/** The notes of a session: cards by tag, or one list. */
export default function Corkboard({ id, closed, freshFrom }: { id: string; closed: boolean; freshFrom: number }) {
  const query = useNotes(id);
  const known = useArranged(query.data?.items ?? NO_NOTES);
  const [filter, setFilter] = useState(NO_FILTER);
  const [search, setSearch] = useState<NoteQuery | null>(null);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const narrow = useNarrow();
  const [view, choose] = useView();
  const [revealed, setRevealed] = useState<string | null>(null);
  const show = useCallback((note: string) => {
    setFilter(NO_FILTER);
    setSearch(null);
    setRevealed(note);
  }, []);
  const card = useCard({ followed: known.followed, freshFrom, closed, show, open: setDialog });
  // Where a note is shown by name, all are in one list: there it has one place.
  const shownAs = narrow || revealed !== null ? "list" : view;
  const change = (part: Partial<NoteFilter>) => {
    setFilter({ ...filter, ...part });
    setSearch(null);
    setRevealed(null);
  };
  const chooseView = (next: View) => {
    setRevealed(null);
    choose(next);
  };
  const owner = useIsOwner();
  const pin = closed || !owner ? undefined : () => setDialog({ act: "pin", note: null });
  const startSearch = () => setSearch({ query: filter.text.trim(), tags: [...filter.tags], author: filter.author });
  return (
    <div className="stack">
      {known.notes.length > 0 && (
        <Finder
          filter={filter}
          change={change}
          search={startSearch}
          tags={known.tags}
          authors={known.authors}
          view={shownAs}
          choose={narrow ? undefined : chooseView}
          pin={pin}
          refused={!closed && !owner}
        />
      )}
      <Coming here={known.notes.length} query={query} pin={pin} />
      {search ? (
        <SearchResults id={id} search={search} card={card} back={() => setSearch(null)} />
      ) : (
        <NotesInView
          notes={known.notes}
          filter={filter}
          columns={shownAs === "columns"}
          revealed={revealed}
          card={card}
          clear={() => setFilter(NO_FILTER)}
        />
      )}
      {dialog && <NoteDialog id={id} dialog={dialog} close={() => setDialog(null)} />}
    </div>
  );
}

function useArranged(unsorted: Note[]) {
  return useMemo(() => {
    const notes = newestFirst(unsorted);
    return { notes, tags: tagsOf(notes), authors: authorsOf(notes), followed: successors(notes) };
  }, [unsorted]);
}

/** How a note is drawn. Another function only when something about it changes, so that cards stay as they are. */
function useCard(about: {
  followed: ReadonlyMap<string, string>;
  freshFrom: number;
  closed: boolean;
  show: (note: string) => void;
  open: (dialog: OpenDialog) => void;
}) {
  const { followed, freshFrom, closed, show, open } = about;
  const owner = useIsOwner();
  const me = useMe().data?.agent ?? "";
  const acts = useMemo(
    () => ({
      show,
      replace: closed || !owner ? undefined : (note: Note) => open({ act: "replace", note }),
      redact: owner ? (note: Note) => open({ act: "redact", note }) : undefined,
    }),
    [show, open, closed, owner],
  );
  return useCallback(
    (note: Note) => (
      <NoteCard
        note={note}
        successor={followed.get(note.id)}
        fresh={numberOf(note.id) >= freshFrom && note.author !== me}
        acts={acts}
      />
    ),
    [followed, freshFrom, me, acts],
  );
}

function NoteDialog({ id, dialog: { act, note }, close }: { id: string; dialog: OpenDialog; close: () => void }) {
  if (act === "redact" && note)
    return <RedactDialog session={id} thing={{ kind: "note", id: note.id }} close={close} />;
  return <PinNote id={id} replaces={note} close={close} />;
}

/** What there is to say while not all notes are here, or when there are none. */
function Coming({
  here,
  query,
  pin,
}: {
  here: number;
  query: ReturnType<typeof useNotes>;
  pin: (() => void) | undefined;
}) {
  const { data, error, isFetching, refetch } = query;
  if (error) return <Problem of={error} again={() => void refetch()} />;
  if (!data) return <Loading what="the notes" />;
  if (here === 0) return <NoNotes pin={pin} />;
  if (!isFetching || here >= data.total) return null;
  return (
    <p className="soft small" role="status">
      {here.toLocaleString("en")} of {data.total.toLocaleString("en")} notes are here, the others are coming.
    </p>
  );
}

function NoNotes({ pin }: { pin: (() => void) | undefined }) {
  return (
    <Empty icon={<StickyNote size={28} aria-hidden="true" />} title="Nothing is pinned yet">
      <p>
        Agents pin what they find out with <code>add_note</code>: a fact, an address, a snippet. Each note shows up here
        at once, under its tags.
      </p>
      {pin && <Button onClick={pin}>Pin a note</Button>}
    </Empty>
  );
}

function NotesInView({
  notes,
  filter,
  columns,
  revealed,
  card,
  clear,
}: {
  notes: Note[];
  filter: NoteFilter;
  columns: boolean;
  revealed: string | null;
  card: (note: Note) => ReactNode;
  clear: () => void;
}) {
  // Typing stays quick over ten thousand notes: the board follows when there is time.
  const wanted = useDeferredValue(filter);
  const all = useDeferredValue(notes);
  const found = useMemo(() => filtered(all, wanted), [all, wanted]);
  const board = useMemo(() => (columns ? columnsOf(found, tagsOf(found), wanted.tags) : []), [columns, found, wanted]);
  if (all.length > 0 && found.length === 0) {
    return (
      <Empty title="No note matches">
        <Button onClick={clear}>Show all notes</Button>
      </Empty>
    );
  }
  if (columns) return <NoteBoard columns={board} card={card} />;
  return (
    <PageList items={found} label="Notes, newest first" idOf={idOf} reveal={revealed}>
      {card}
    </PageList>
  );
}

function SearchResults({
  id,
  search,
  card,
  back,
}: {
  id: string;
  search: NoteQuery;
  card: (note: Note) => ReactNode;
  back: () => void;
}) {
  const { data, error, refetch } = useFoundNotes(id, search);
  if (error) return <Problem of={error} again={() => void refetch()} />;
  if (!data) return <Loading what="what the server finds" />;
  const more = data.total > data.count ? `, the best ${data.count} are shown` : "";
  return (
    <div className="stack">
      <div className="row" role="status">
        <span>
          {data.total.toLocaleString("en")} found for “{search.query}”{more}, best first.
          {data.warming && " Only words count so far: searching by meaning is still warming up."}
        </span>
        <Button small onClick={back}>
          Back to all notes
        </Button>
      </div>
      <PageList items={data.notes} label="Notes found, best first" idOf={idOf}>
        {card}
      </PageList>
    </div>
  );
}

function useView(): [View, (view: View) => void] {
  const [view, setView] = useState<View>(() => (localStorage.getItem(VIEW) === "list" ? "list" : "columns"));
  const choose = useCallback((next: View) => {
    localStorage.setItem(VIEW, next);
    setView(next);
  }, []);
  return [view, choose];
}
