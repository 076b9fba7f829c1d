import { Ellipsis } from "lucide-react";
import { memo, useState } from "react";
import { CopyItem, linkTo, Menu, MenuItem } from "@/pages/table/Menu";
import type { Note } from "@/pages/table/notes/data";
import styles from "@/pages/table/notes/notes.module.css";
import { shortened } from "@/pages/table/shorten";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { ExternalLink, safeAddress } from "@/parts/ExternalLink";
import { Markdown } from "@/parts/Markdown";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

/** Longer notes show their beginning. */
const LONGEST = 600;

interface NoteActs {
  /** Shows the note with this id. */
  show: (id: string) => void;
  address: (note: Note) => string;
  replace: ((note: Note) => void) | undefined;
  redact: ((note: Note) => void) | undefined;
}

interface Props {
  note: Note;
  successor: string | undefined;
  fresh: boolean;
  /** Whether somebody came to see this one. */
  marked: boolean;
  acts: NoteActs;
}

export const NoteCard = memo(function NoteCard({ note, successor, fresh, marked, acts }: Props) {
  return (
    <article
      className={styles.note}
      tabIndex={-1}
      aria-label={`Note ${note.id} by ${note.author}`}
      data-fresh={fresh || undefined}
      data-old={successor ? true : undefined}
      data-marked={marked || undefined}
      aria-current={marked || undefined}
    >
      {fresh && <span className="hidden-but-read">New since you last looked</span>}
      <NoteContent text={note.content} />
      {note.tags.length > 0 && (
        <div className={styles.tags}>
          {note.tags.map((tag) => (
            <Badge key={tag}>
              <Text>{tag}</Text>
            </Badge>
          ))}
        </div>
      )}
      {successor && <Follow id={successor} says="Replaced by" show={acts.show} />}
      {note.supersedes && <Follow id={note.supersedes} says="Replaces" show={acts.show} />}
      <Foot note={note} acts={acts} />
    </article>
  );
});

function NoteContent({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const long = text.length > LONGEST;
  return (
    <div className="small">
      <Markdown text={whole || !long ? text : shortened(text, LONGEST)} />
      {long && (
        <Button kind="quiet" small aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
        </Button>
      )}
    </div>
  );
}

function Follow({ id, says, show }: { id: string; says: string; show: (id: string) => void }) {
  return (
    <div className="small soft">
      {says}{" "}
      <button type="button" className={styles.follow} onClick={() => show(id)}>
        note {id}
      </button>
    </div>
  );
}

function Foot({ note, acts: { address, replace, redact } }: { note: Note; acts: NoteActs }) {
  return (
    <footer className={styles.foot}>
      <span className={styles.by}>
        <strong>
          <Text>{note.author}</Text>
        </strong>{" "}
        · {note.id} · <Time at={note.timestamp} />
        {note.source && (
          <>
            {" · "}
            <NoteSource text={note.source} />
          </>
        )}
      </span>
      <Menu small label={`Actions for note ${note.id}`} title={<Ellipsis size={16} aria-hidden="true" />}>
        <CopyItem text={note.content}>Copy the text</CopyItem>
        <CopyItem text={linkTo(address(note))}>Copy link</CopyItem>
        {replace && <MenuItem act={() => replace(note)}>Replace by a newer note</MenuItem>}
        {redact && <MenuItem act={() => redact(note)}>Redact</MenuItem>}
      </Menu>
    </footer>
  );
}

function NoteSource({ text }: { text: string }) {
  const address = safeAddress(text);
  if (!address) return <Text>{text}</Text>;
  return <ExternalLink href={address}>{new URL(address).hostname || text}</ExternalLink>;
}
