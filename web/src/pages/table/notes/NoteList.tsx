import { useCallback, useDeferredValue, useMemo } from "react";
import { numberOf } from "@/pages/table/news";
import { type NoteFilter, newestFirst, successors } from "@/pages/table/notes/arranging";
import type { DrawNote } from "@/pages/table/notes/Corkboard";
import { type Note, type NoteChoice, useFoundNotes, useNotes } from "@/pages/table/notes/data";
import { Button } from "@/parts/Button";
import { Empty, Loaded, Loading, Problem } from "@/parts/Notice";
import { PageList } from "@/parts/PageList";

const idOf = (note: Note) => note.id;
const NO_NOTES: Note[] = [];

/** Notes as they are shown, newest first, with what has taken the place of which. */
export function useShownNotes(notes: Note[] | undefined, card: DrawNote) {
  const shown = useMemo(() => newestFirst(notes ?? NO_NOTES), [notes]);
  const followed = useMemo(() => successors(shown), [shown]);
  const draw = useCallback((note: Note) => card(note, followed.get(note.id)), [card, followed]);
  return { shown, draw };
}

interface Props {
  id: string;
  choice: NoteChoice;
  /** A note that was looked for. */
  shown: string | undefined;
  card: DrawNote;
  all: () => void;
  clear: () => void;
}

/** One list, newest first; older notes come as somebody scrolls down. */
export function NoteList({ id, choice, shown, card, all, clear }: Props) {
  const around = shown === undefined ? undefined : numberOf(shown);
  const { query, readOlder, readNewer, problem } = useNotes(id, choice, around);
  const notes = useShownNotes(query.data?.items, card);
  const older = query.data?.older ?? false;
  const nearEnd = useCallback(() => void (older && readOlder()), [older, readOlder]);
  return (
    <Loaded query={query} what="the notes">
      {({ items, newer }) =>
        items.length === 0 ? (
          <Empty title="No note matches">
            <Button onClick={clear}>Show all notes</Button>
          </Empty>
        ) : (
          <div className="stack">
            {shown !== undefined && (
              <AroundNote shown={shown} items={items} newer={newer ? readNewer : undefined} all={all} />
            )}
            {problem !== null && <Problem of={problem} again={() => void readOlder()} />}
            <PageList items={notes.shown} label="Notes, newest first" idOf={idOf} reveal={shown} nearEnd={nearEnd}>
              {notes.draw}
            </PageList>
          </div>
        )
      }
    </Loaded>
  );
}

function AroundNote(props: { shown: string; items: Note[]; newer: (() => void) | undefined; all: () => void }) {
  const { shown, items, newer, all } = props;
  const there = items.some((note) => note.id === shown);
  return (
    <div className="row" role="status">
      <span>
        {there
          ? `Note ${shown} and what was pinned around it.`
          : `There is no note ${shown}. These were the last before it.`}
      </span>
      {newer && (
        <Button small onClick={newer}>
          Show newer notes
        </Button>
      )}
      <Button small onClick={all}>
        Show all notes
      </Button>
    </div>
  );
}

/** What the server finds: by words while somebody types, by meaning too on Enter. */
export function FoundNotes(props: { id: string; filter: NoteFilter; card: DrawNote; back: () => void }) {
  const { id, filter, card, back } = props;
  const text = useDeferredValue(filter.text.trim());
  const { data, error, refetch } = useFoundNotes(id, { ...filter, query: text });
  const draw = useCallback((note: Note) => card(note, note.superseded_by), [card]);
  if (error) return <Problem of={error} again={() => void refetch()} />;
  if (!data) return <Loading what="what the server finds" />;
  const more = data.total > data.count ? `, the best ${data.count} are shown` : "";
  return (
    <div className="stack">
      <div className="row" role="status">
        <span>
          {data.total.toLocaleString("en")} found for “{text}”{more}, best first.
          {data.warming && " Only words count so far: searching by meaning is still warming up."}
        </span>
        <Button small onClick={back}>
          Back to all notes
        </Button>
      </div>
      <PageList items={data.notes} label="Notes found, best first" idOf={idOf}>
        {draw}
      </PageList>
    </div>
  );
}
