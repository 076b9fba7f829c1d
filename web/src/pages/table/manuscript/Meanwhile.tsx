import { useState } from "react";
import { type Section, useVersion } from "@/pages/table/manuscript/data";
import { Compared } from "@/pages/table/manuscript/VersionChanges";
import { Button } from "@/parts/Button";
import { Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";

interface Props {
  id: string;
  section: Section;
  current: number;
  text: { base: number; content: string };
  busy: boolean;
  save: (expected: number) => void;
}

/** Somebody wrote while this person did: neither text is lost, and the person decides. */
export function Meanwhile({ id, section, current, text, busy, save }: Props) {
  const [comparing, setComparing] = useState(false);
  const theirs = useVersion(id, section.section_id, current);
  const author = theirs.data?.author ?? "Somebody";
  return (
    <div className="notice" data-tone="warn" role="alert">
      <strong>
        <Text>{author}</Text> wrote version {current} meanwhile.
      </strong>
      <span>
        You began with version {text.base}. Your text is kept here; compare it, take over what you want to keep, then
        save.
      </span>
      <div className="row">
        <Button small aria-expanded={comparing} onClick={() => setComparing(!comparing)}>
          {comparing ? "Hide the comparison" : `Compare version ${current} with mine`}
        </Button>
        <Button small kind="main" busy={busy} onClick={() => save(current)}>
          Save mine as version {current + 1}
        </Button>
      </div>
      {comparing && (
        <Loaded query={theirs} what={`version ${current}`}>
          {(data) => (
            <Compared before={data.content ?? ""} after={text.content} names={[`Version ${current}`, "Yours"]} />
          )}
        </Loaded>
      )}
    </div>
  );
}
