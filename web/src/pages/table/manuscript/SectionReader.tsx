import { History as Clock, Pencil, Sparkle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { linkTo } from "@/pages/table/Menu";
import { useVersion } from "@/pages/table/manuscript/data";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { Prose } from "@/pages/table/manuscript/Prose";
import type { Mode, SectionProps } from "@/pages/table/manuscript/SectionView";
import { asMarkdown, newsOf } from "@/pages/table/manuscript/text";
import { useScrollAnchor } from "@/pages/table/manuscript/viewport";
import { Button } from "@/parts/Button";
import { Copy } from "@/parts/Copy";
import { Loading, Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

interface Props extends SectionProps {
  /** How high to be while the text is not there. */
  room: number;
  turn: (mode: Mode) => void;
}

/** The current text of a section. A newer one takes its place as soon as it is read, around the lines that are looked at. */
export function SectionReader(props: Props) {
  const { id, section, seen, room } = props;
  const body = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(section.version);
  const newest = useVersion(id, section.section_id, section.version);
  const version = useVersion(id, section.section_id, shown);
  const hold = useScrollAnchor(body, shown);
  useEffect(() => {
    if (newest.data === undefined || newest.data.version === shown) return;
    hold();
    setShown(newest.data.version);
  });
  const news = shown === section.version ? newsOf(section, seen) : undefined;
  const text = version.data?.content;
  return (
    <>
      <SectionTools {...props} text={text} />
      <div
        ref={body}
        className={styles.body}
        aria-busy={text === undefined}
        style={text === undefined ? { minHeight: room } : undefined}
      >
        {news && <NewVersionNotice {...props} news={news} />}
        {text === undefined && !version.error && <Loading what="the text" />}
        {version.error && text === undefined && <Problem of={version.error} again={() => void version.refetch()} />}
        {text !== undefined && <Prose text={text} title={section.title} />}
      </div>
    </>
  );
}

function SectionTools({ id, section, mayWrite, turn, text }: Props & { text: string | undefined }) {
  return (
    <div className={styles.tools}>
      <Button
        small
        aria-label={`History of ${section.title}`}
        onClick={() => turn({ is: "history", version: section.version, changes: false })}
      >
        <Clock size={14} aria-hidden="true" /> History
      </Button>
      {mayWrite && (
        <Button small aria-label={`Edit ${section.title}`} onClick={() => turn({ is: "editing" })}>
          <Pencil size={14} aria-hidden="true" /> Edit
        </Button>
      )}
      {text !== undefined && <Copy text={asMarkdown({ ...section, content: text })} label="Copy as Markdown" />}
      <Copy text={linkTo(`/sessions/${encodeURIComponent(id)}/draft/${section.section_id}`)} label="Copy link" />
    </div>
  );
}

function NewVersionNotice({ section, seen, see, turn, news }: Props & { news: string }) {
  const first = seen === 0;
  return (
    <div className={styles.news} role="status">
      <Sparkle size={14} aria-hidden="true" />
      <strong>
        <Text>{news}</Text>
      </strong>
      {!first && (
        <Button
          small
          onClick={() => {
            see(section.section_id, section.version);
            turn({ is: "history", version: seen, changes: true });
          }}
        >
          What changed
        </Button>
      )}
      <Button
        small
        kind="quiet"
        onClick={() => {
          see(section.section_id, section.version);
          document.getElementById(`title-${section.section_id}`)?.focus({ preventScroll: true });
        }}
      >
        Seen
      </Button>
    </div>
  );
}
