import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { linkTo } from "@/pages/table/Menu";
import { useVersion } from "@/pages/table/manuscript/data";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { Prose } from "@/pages/table/manuscript/Prose";
import { RedactVersion } from "@/pages/table/manuscript/RedactVersion";
import { Revert } from "@/pages/table/manuscript/Revert";
import type { SectionProps } from "@/pages/table/manuscript/SectionView";
import { type Against, isRedacted } from "@/pages/table/manuscript/text";
import { VersionChanges } from "@/pages/table/manuscript/VersionChanges";
import { useVersionAddress, versionAddress } from "@/pages/table/manuscript/versionAddress";
import { RedactButton } from "@/pages/table/Redact";
import { TOMBSTONE } from "@/pages/table/redactable";
import { Button } from "@/parts/Button";
import { Copy } from "@/parts/Copy";
import { Loaded } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

interface Props extends SectionProps {
  begin: { version: number; changes: boolean; against?: Against };
  close: () => void;
}

/** Every version that a section ever had, one at a time or beside another. */
export function History(props: Props) {
  const { id, section, begin, close } = props;
  const [chosen, setChosen] = useState(begin.version);
  const [changes, setChanges] = useState(begin.changes);
  const [against, setAgainst] = useState<Against>(begin.against ?? (begin.changes ? "current" : "previous"));
  const { show, leave } = useVersionAddress(id, section.section_id);
  const place = { version: chosen, against: changes ? against : undefined };
  useEffect(() => show({ version: chosen, against: changes ? against : undefined }), [show, chosen, changes, against]);
  const version = useVersion(id, section.section_id, chosen);
  return (
    <section className={styles.history} aria-label={`History of ${section.title}`}>
      <div className={styles.panel}>
        <VersionSlider chosen={chosen} last={section.version} choose={setChosen} author={version.data?.author} />
        <div className="row apart">
          <p className={styles.which} data-old={chosen < section.version || undefined}>
            Version {chosen} of {section.version}
            {version.data?.author && (
              <>
                , by <Text>{version.data.author}</Text>, <Time at={version.data.updated_at} />
              </>
            )}
            {chosen === section.version && " (current)"}
          </p>
          <div className="row">
            <Copy text={linkTo(versionAddress(id, section.section_id, place))} label="Copy link" />
            <Button
              small
              onClick={() => {
                leave();
                close();
              }}
            >
              <X size={14} aria-hidden="true" /> Close the history
            </Button>
          </div>
        </div>
        <Comparison changes={changes} setChanges={setChanges} against={against} setAgainst={setAgainst} />
        <VersionActions {...props} chosen={chosen} redacted={isRedacted(version.data?.content)} />
      </div>
      {changes ? (
        <VersionChanges id={id} section={section} chosen={chosen} against={against} />
      ) : (
        <Loaded query={version} what={`version ${chosen}`}>
          {(data) => <Prose text={data.content ?? ""} title={section.title} />}
        </Loaded>
      )}
    </section>
  );
}

interface SliderProps {
  chosen: number;
  last: number;
  author: string | undefined;
  choose: (version: number) => void;
}

function VersionSlider({ chosen, last, author, choose }: SliderProps) {
  const slider = useRef<HTMLInputElement>(null);
  // Whoever opened the history did so to look for a version.
  useEffect(() => slider.current?.focus({ preventScroll: true }), []);
  const spoken = `Version ${chosen} of ${last}${author ? `, by ${author}` : ""}`;
  return (
    <div className={styles.slider}>
      <Button aria-label="Older version" disabled={chosen <= 1} onClick={() => choose(chosen - 1)}>
        <ChevronLeft size={16} aria-hidden="true" />
      </Button>
      <input
        ref={slider}
        type="range"
        aria-label="Version"
        aria-valuetext={spoken}
        min={1}
        max={last}
        step={1}
        value={chosen}
        onChange={(event) => choose(Number(event.target.value))}
      />
      <Button aria-label="Newer version" disabled={chosen >= last} onClick={() => choose(chosen + 1)}>
        <ChevronRight size={16} aria-hidden="true" />
      </Button>
    </div>
  );
}

interface ComparisonProps {
  changes: boolean;
  setChanges: (changes: boolean) => void;
  against: Against;
  setAgainst: (against: Against) => void;
}

const AGAINST: [Against, string][] = [
  ["previous", "Previous version"],
  ["current", "Current version"],
];

function Comparison({ changes, setChanges, against, setAgainst }: ComparisonProps) {
  return (
    <div className={styles.comparison}>
      <label>
        <input
          type="checkbox"
          role="switch"
          aria-checked={changes}
          checked={changes}
          onChange={(event) => setChanges(event.target.checked)}
        />
        Show changes
      </label>
      {changes && (
        <fieldset>
          <legend>Compare with</legend>
          {AGAINST.map(([value, words]) => (
            <label key={value}>
              <input type="radio" checked={against === value} onChange={() => setAgainst(value)} />
              {words}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}

function VersionActions({
  id,
  mayWrite,
  section,
  see,
  chosen,
  redacted,
}: Props & { chosen: number; redacted: boolean }) {
  return (
    <div className={styles.acts}>
      {mayWrite && chosen < section.version && !redacted && <Revert id={id} section={section} to={chosen} see={see} />}
      {redacted ? (
        <span className="soft small">This version is redacted.</span>
      ) : (
        <RedactVersion id={id} section={section} version={chosen} />
      )}
      {section.title !== TOMBSTONE && (
        <RedactButton session={id} thing={{ kind: "title", id: section.section_id }} subject="the title" />
      )}
    </div>
  );
}
