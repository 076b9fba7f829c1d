import { useRef, useState } from "react";
import type { Section as Outlined } from "@/pages/table/manuscript/data";
import { Editor } from "@/pages/table/manuscript/Editor";
import { History } from "@/pages/table/manuscript/History";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { SectionReader } from "@/pages/table/manuscript/SectionReader";
import type { Against } from "@/pages/table/manuscript/text";
import { forgetUnsaved, unsavedOf } from "@/pages/table/manuscript/unsaved";
import { useBeginning } from "@/pages/table/manuscript/versionAddress";
import { useNear } from "@/pages/table/manuscript/viewport";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

export interface SectionProps {
  id: string;
  /** Whether this person may change the draft, and the session is still open. */
  mayWrite: boolean;
  section: Outlined;
  /** The newest version that this person has seen. */
  seen: number;
  see: (sectionId: string, version: number) => void;
}

/** What is done with a section: it is read, looked up in its history, or written. */
export type Mode =
  | { is: "reading" }
  | { is: "history"; version: number; changes: boolean; against?: Against }
  | { is: "editing" };

/** Estimated height of a section that was not rendered yet. */
const GUESS = 400;

/** One section of the draft. Its title is always there; the rest only near the window. */
export function SectionView(props: SectionProps) {
  const { id, section } = props;
  const element = useRef<HTMLElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  // What is not shown keeps its room, and what is not read yet gets some: the page must not jump.
  const [room, setRoom] = useState(GUESS);
  const near = useNear(element, () => setRoom(inside.current?.offsetHeight || GUESS));
  const beginning = useBeginning(section);
  const [mode, setMode] = useState<Mode>(
    () => beginning ?? { is: props.mayWrite && unsavedOf(id, section.section_id) ? "editing" : "reading" },
  );
  const shown = near || mode.is !== "reading";
  return (
    <article
      ref={element}
      id={`section-${section.section_id}`}
      className={styles.section}
      aria-labelledby={`title-${section.section_id}`}
    >
      <header>
        <h2 id={`title-${section.section_id}`} tabIndex={-1}>
          <Text>{section.title}</Text>
        </h2>
        <p className="soft small">
          Version {section.version}
          {section.author && (
            <>
              , by <Text>{section.author}</Text>
            </>
          )}
          , <Time at={section.updated_at} />
        </p>
      </header>
      <div ref={inside} className={styles.inside} style={shown ? undefined : { minHeight: room }}>
        {shown && <Inside {...props} room={room} mode={mode} turn={setMode} />}
      </div>
    </article>
  );
}

function Inside(props: SectionProps & { room: number; mode: Mode; turn: (mode: Mode) => void }) {
  const { id, section, mode, turn } = props;
  if (mode.is === "reading") return <SectionReader {...props} />;
  // The button that was pressed is gone: the title is where to go on from.
  const back = () => {
    turn({ is: "reading" });
    document.getElementById(`title-${section.section_id}`)?.focus({ preventScroll: true });
  };
  if (mode.is === "history") return <History {...props} begin={mode} close={back} />;
  const done = () => {
    forgetUnsaved(id, section.section_id);
    back();
  };
  return <Editor {...props} close={done} />;
}
