import { type KeyboardEvent, useDeferredValue, useId, useState } from "react";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { Prose } from "@/pages/table/manuscript/Prose";
import { useNarrow } from "@/pages/table/narrow";
import { Button } from "@/parts/Button";

interface Props {
  text: { title: string; content: string };
  change: (part: { title?: string; content?: string }) => void;
  submit: () => void;
}

/** Title and text of a section, with what it will look like beside it. */
export function SectionFields({ text, change, submit }: Props) {
  const narrow = useNarrow();
  const fields = useId();
  const [previewing, setPreviewing] = useState(false);
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    }
  };
  return (
    <>
      <div>
        <label htmlFor={`${fields}t`}>Title</label>
        <input
          id={`${fields}t`}
          type="text"
          required
          maxLength={200}
          value={text.title}
          onChange={(event) => change({ title: event.target.value })}
        />
      </div>
      {narrow && (
        <div>
          <Button small aria-pressed={previewing} onClick={() => setPreviewing(!previewing)}>
            {previewing ? "Go on writing" : "Preview"}
          </Button>
        </div>
      )}
      <div className={styles.sides}>
        <div hidden={narrow && previewing}>
          <label htmlFor={`${fields}c`}>Text, in Markdown</label>
          <textarea
            id={`${fields}c`}
            value={text.content}
            onChange={(event) => change({ content: event.target.value })}
            onKeyDown={pressed}
          />
        </div>
        {(!narrow || previewing) && <Preview text={text.content} title={text.title} />}
      </div>
    </>
  );
}

/** Follows the typing as fast as it can, and never slows it down. */
function Preview({ text, title }: { text: string; title: string }) {
  const shown = useDeferredValue(text);
  return (
    <section className={styles.preview} aria-label="Preview">
      <span className="soft small" aria-hidden="true">
        Preview
      </span>
      <div>
        <Prose text={shown} title={title} />
      </div>
    </section>
  );
}
