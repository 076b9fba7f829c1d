import { useState } from "react";
import { type Section, useWrite } from "@/pages/table/manuscript/data";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { goTo } from "@/pages/table/manuscript/place";
import { sectionIdOf } from "@/pages/table/manuscript/text";
import { useDraft } from "@/parts/drafts";
import { Field, FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

interface Props {
  id: string;
  sections: Section[];
  close: () => void;
  see: (sectionId: string, version: number) => void;
}

export function AddSection({ id, sections, close, see }: Props) {
  const [text, keep, forget] = useDraft(`section/${id}`, { title: "", content: "" });
  const { title, content } = text;
  const leave = () => {
    forget();
    close();
  };
  const [position, setPosition] = useState<number>();
  const write = useWrite(id);
  const say = useToast();
  const taken = sections.map((section) => section.section_id);
  const save = () => {
    const sectionId = sectionIdOf(title, taken);
    see(sectionId, 1);
    const place = position === undefined ? {} : { position };
    const done = () => {
      say(`${title.trim()} is added.`);
      leave();
      goWhenThere(sectionId);
    };
    write.mutate({ sectionId, title: title.trim(), content, expected_version: 0, ...place }, { onSuccess: done });
  };
  return (
    <FormDialog
      title="Add a section"
      about="It becomes part of the draft at once; agents can read it and write on."
      action="Add the section"
      complete={title.trim() !== ""}
      saving={write}
      save={save}
      close={leave}
    >
      <Field label="Title">
        {(field) => (
          <input
            id={field}
            type="text"
            required
            maxLength={200}
            value={title}
            onChange={(event) => keep({ ...text, title: event.target.value })}
          />
        )}
      </Field>
      <Field label="Text, in Markdown">
        {(field) => (
          <textarea
            id={field}
            className={styles.newText}
            value={content}
            onChange={(event) => keep({ ...text, content: event.target.value })}
          />
        )}
      </Field>
      <Field label="Place">
        {(field) => <PlaceSelect id={field} sections={sections} value={position} choose={setPosition} />}
      </Field>
    </FormDialog>
  );
}

interface PlaceProps {
  id: string;
  sections: Section[];
  value: number | undefined;
  choose: (position: number | undefined) => void;
}

function PlaceSelect({ id, sections, value, choose }: PlaceProps) {
  const chosen = (text: string) => choose(text === "" ? undefined : Number(text));
  return (
    <select id={id} value={value ?? ""} onChange={(event) => chosen(event.target.value)}>
      <option value="">At the end</option>
      {sections.map((section, index) => (
        <option key={section.section_id} value={index}>
          Before {section.title}
        </option>
      ))}
    </select>
  );
}

/** The section is in the page as soon as the draft is read again. */
function goWhenThere(sectionId: string, tries = 40): void {
  if (document.getElementById(`section-${sectionId}`)) goTo(sectionId);
  else if (tries > 0) setTimeout(() => goWhenThere(sectionId, tries - 1), 50);
}
