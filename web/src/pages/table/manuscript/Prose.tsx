import { startTransition, useEffect, useMemo, useRef, useState } from "react";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { isRedacted, partsOf, withoutOwnTitle } from "@/pages/table/manuscript/text";
import { useNear } from "@/pages/table/manuscript/viewport";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Markdown } from "@/parts/Markdown";

/** The rest of a longer text is rendered when the reader gets there: a section may hold a megabyte. */
const PART = 15_000;

/** The text of a section as it is meant to be read. */
export function Prose({ text, title }: { text: string; title: string }) {
  const parts = useMemo(() => partsOf(withoutOwnTitle(text, title), PART), [text, title]);
  const [shown, setShown] = useState(1);
  if (isRedacted(text)) {
    return (
      <p>
        <Badge tone="warn">Redacted</Badge> <span className="soft">An owner took this text back.</span>
      </p>
    );
  }
  if (text.trim() === "") return <p className="soft">This section has no text.</p>;
  return (
    <div className={styles.prose}>
      {parts.slice(0, shown).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
        <Markdown key={index} text={part} />
      ))}
      {shown < parts.length && <RestOnSight key={shown} next={shown + 1} of={parts.length} show={setShown} />}
    </div>
  );
}

/** Goes on by itself as soon as somebody has read this far. */
function RestOnSight({ next, of, show }: { next: number; of: number; show: (parts: number) => void }) {
  const element = useRef<HTMLDivElement>(null);
  const near = useNear(element);
  useEffect(() => {
    if (near) startTransition(() => show(next));
  }, [near, next, show]);
  return (
    <div ref={element}>
      <Button onClick={() => show(next)}>
        Read on (part {next} of {of})
      </Button>
    </div>
  );
}
