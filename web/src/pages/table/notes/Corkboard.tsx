import { StickyNote } from "lucide-react";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useLocation, useRoute, useSearch } from "wouter";
import { useIsOwner, useMe } from "@/api/me";
import { useNarrow } from "@/pages/table/narrow";
import { numberOf } from "@/pages/table/news";
import { addressOf, filterOf, type NoteFilter } from "@/pages/table/notes/arranging";
import { type Note, type NoteTags, useNoteTags } from "@/pages/table/notes/data";
import { Finder, type View } from "@/pages/table/notes/Finder";
import { NoteBoard } from "@/pages/table/notes/NoteBoard";
import { NoteCard } from "@/pages/table/notes/NoteCard";
import { FoundNotes, NoteList } from "@/pages/table/notes/NoteList";
import { PinNote } from "@/pages/table/notes/PinNote";
import { RedactDialog } from "@/pages/table/Redact";
import { useSearchParam } from "@/parts/address";
import { Button } from "@/parts/Button";
import { Empty, Loaded } from "@/parts/Notice";

const VIEW = "longtable-corkboard";

type OpenDialog = { act: "pin" | "replace" | "redact"; note: Note | null };
export type DrawNote = (note: Note, successor: string | undefined) => ReactNode;

/** The notes of a session: cards by tag, or one list. */
export default function Corkboard({ id, closed, freshFrom }: { id: string; closed: boolean; freshFrom: number }) {
  const query = useNoteTags(id);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const owner = useIsOwner();
  const pin = closed || !owner ? undefined : () => setDialog({ act: "pin", note: null });
  const address = useNoteAddress(id);
  const card = useCard({ id, shown: address.shown, freshFrom, closed, show: address.show, open: setDialog });
  return (
    <div className="stack">
      <Loaded query={query} what="the notes">
        {(counted) =>
          counted.total === 0 ? (
            <NoNotes pin={pin} />
          ) : (
            <FilledCorkboard
              id={id}
              counted={counted}
              address={address}
              card={card}
              pin={pin}
              refused={!closed && !owner}
            />
          )
        }
      </Loaded>
      {dialog && <NoteDialog id={id} dialog={dialog} close={() => setDialog(null)} />}
    </div>
  );
}

type NoteAddress = ReturnType<typeof useNoteAddress>;

function FilledCorkboard(props: {
  id: string;
  counted: NoteTags;
  address: NoteAddress;
  card: DrawNote;
  pin: (() => void) | undefined;
  refused: boolean;
}) {
  const { id, counted, address, card } = props;
  const { filter, change, shown } = address;
  const narrow = useNarrow();
  const [view, choose] = useView();
  // Where a note is shown by name, all are in one list: there it has one place.
  const shownAs = narrow || shown !== undefined ? "list" : view;
  const chooseView = (next: View) => {
    choose(next);
    if (shown !== undefined) address.showAll();
  };
  return (
    <>
      <Finder
        filter={filter}
        change={change}
        counted={counted}
        view={shownAs}
        choose={narrow ? undefined : chooseView}
        pin={props.pin}
        refused={props.refused}
      />
      {filter.text.trim() ? (
        <FoundNotes id={id} filter={filter} card={card} back={() => change({ text: "", meaning: false })} />
      ) : shownAs === "columns" ? (
        <NoteBoard key={id} id={id} counted={counted} filter={filter} card={card} />
      ) : (
        <NoteList
          id={id}
          choice={filter}
          shown={shown}
          card={card}
          all={address.showAll}
          clear={() => change({ tags: [], author: "" })}
        />
      )}
    </>
  );
}

/** `/sessions/ID/notes/NOTE` shows a note among its neighbours; what is filtered stands in the address too. */
function useNoteAddress(id: string) {
  const [, go] = useLocation();
  const [, params] = useRoute("/sessions/:id/notes/:note");
  const search = useSearch();
  const filter = useMemo(() => filterOf(new URLSearchParams(search)), [search]);
  const base = `/sessions/${encodeURIComponent(id)}/notes`;
  const show = useCallback((note: string) => go(`${base}/${note}`), [go, base]);
  const shown = params && /^n[1-9]\d*$/.test(params.note ?? "") ? params.note : undefined;
  return {
    filter,
    shown,
    show,
    showAll: () => go(base),
    change: (part: Partial<NoteFilter>) => {
      const address = addressOf({ ...filter, ...part });
      const view = new URLSearchParams(search).get("view");
      if (view) address.set("view", view);
      const wanted = address.toString();
      go(wanted ? `${base}?${wanted}` : base, { replace: true });
    },
  };
}

/** How a note is drawn. Another function only when something about it changes, so that cards stay as they are. */
function useCard(about: {
  id: string;
  shown: string | undefined;
  freshFrom: number;
  closed: boolean;
  show: (note: string) => void;
  open: (dialog: OpenDialog) => void;
}): DrawNote {
  const { id, shown, freshFrom, closed, show, open } = about;
  const owner = useIsOwner();
  const me = useMe().data?.agent ?? "";
  const acts = useMemo(
    () => ({
      show,
      address: (note: Note) => `/sessions/${encodeURIComponent(id)}/notes/${note.id}`,
      replace: closed || !owner ? undefined : (note: Note) => open({ act: "replace", note }),
      redact: owner ? (note: Note) => open({ act: "redact", note }) : undefined,
    }),
    [id, show, open, closed, owner],
  );
  return useCallback(
    (note, successor) => (
      <NoteCard
        note={note}
        successor={successor}
        fresh={numberOf(note.id) >= freshFrom && note.author !== me}
        marked={note.id === shown}
        acts={acts}
      />
    ),
    [shown, freshFrom, me, acts],
  );
}

function NoteDialog({ id, dialog: { act, note }, close }: { id: string; dialog: OpenDialog; close: () => void }) {
  if (act === "redact" && note)
    return <RedactDialog session={id} thing={{ kind: "note", id: note.id }} close={close} />;
  return <PinNote id={id} replaces={note} close={close} />;
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

/** The view that the address names; else the same as last time. */
function useView(): [View, (view: View) => void] {
  const [named, name] = useSearchParam("view");
  const [last, setLast] = useState(() => localStorage.getItem(VIEW));
  const choose = useCallback(
    (next: View) => {
      localStorage.setItem(VIEW, next);
      setLast(next);
      name(next);
    },
    [name],
  );
  return [(named || last) === "list" ? "list" : "columns", choose];
}
