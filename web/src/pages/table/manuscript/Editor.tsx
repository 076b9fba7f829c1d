import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { conflictIn, type Section, useVersion, useWrite } from "@/pages/table/manuscript/data";
import { Meanwhile } from "@/pages/table/manuscript/Meanwhile";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { SectionFields } from "@/pages/table/manuscript/SectionFields";
import type { SectionProps } from "@/pages/table/manuscript/SectionView";
import { keepUnsaved, type Unsaved, unsavedOf } from "@/pages/table/manuscript/unsaved";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { Loaded, Problem } from "@/parts/Notice";
import { useToast } from "@/parts/Toasts";

interface Props extends SectionProps {
  close: () => void;
}

/** A person's hand in the draft. It begins with the current version, or with what was left unsaved. */
export function Editor(props: Props) {
  const { id, section } = props;
  const [base] = useState(() => unsavedOf(id, section.section_id)?.base ?? section.version);
  const original = useVersion(id, section.section_id, base);
  return (
    <Loaded query={original} what="the text">
      {(from) => <Writing {...props} from={from} />}
    </Loaded>
  );
}

function Writing({ id, section, from, see, close }: Props & { from: Section }) {
  const begun = { base: from.version, title: from.title, content: from.content ?? "" };
  const [text, setText] = useState<Unsaved>(() => unsavedOf(id, section.section_id) ?? begun);
  const write = useWrite(id);
  const say = useToast();
  const form = useId();
  const current = Math.max(section.version, conflictIn(write.error) ?? 0);
  const changed = text.title !== begun.title || text.content !== begun.content;
  const change = (part: Partial<Unsaved>) => {
    const next = { ...text, ...part };
    setText(next);
    keepUnsaved(id, section.section_id, next);
  };
  const save = (expected: number) => {
    see(section.section_id, expected + 1);
    write.mutate(
      { sectionId: section.section_id, title: text.title.trim(), content: text.content, expected_version: expected },
      {
        onSuccess: (answer) => {
          see(section.section_id, answer.section.version);
          say(`Saved as version ${answer.section.version}.`);
          close();
        },
        onError: () => see(section.section_id, expected),
      },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (current === text.base) save(current);
  };
  return (
    <form id={form} className={styles.editor} onSubmit={submit} aria-label={`Edit ${section.title}`}>
      <FirstField />
      <SectionFields text={text} change={change} submit={() => current === text.base && changed && save(current)} />
      {current > text.base ? (
        <Meanwhile id={id} section={section} current={current} text={text} busy={write.isPending} save={save} />
      ) : null}
      {write.error && conflictIn(write.error) === undefined && <Problem of={write.error} />}
      <div className="row">
        {current === text.base && (
          <Button kind="main" type="submit" busy={write.isPending} disabled={!changed || text.title.trim() === ""}>
            Save as version {current + 1}
          </Button>
        )}
        <Discard changed={changed} close={close} />
      </div>
    </form>
  );
}

/** The button that opened the form is gone: the focus goes on into it. */
function FirstField() {
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const form = mark.current?.closest("form");
    form?.querySelector("textarea")?.focus({ preventScroll: true });
  }, []);
  return <span ref={mark} hidden />;
}

function Discard({ changed, close }: { changed: boolean; close: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button kind="quiet" onClick={() => (changed ? setAsking(true) : close())}>
        Cancel
      </Button>
      <Dialog
        open={asking}
        close={() => setAsking(false)}
        title="Throw your changes away?"
        about="What you wrote here is not saved."
      >
        <div className="row">
          <Button kind="bad" onClick={close}>
            Throw them away
          </Button>
          <Button kind="quiet" onClick={() => setAsking(false)}>
            Go on writing
          </Button>
        </div>
      </Dialog>
    </>
  );
}
