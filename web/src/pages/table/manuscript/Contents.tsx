import { useEffect, useRef } from "react";
import { Link } from "wouter";
import type { Section } from "@/pages/table/manuscript/data";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { newsOf } from "@/pages/table/manuscript/text";
import { useNarrow } from "@/pages/table/narrow";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

interface Props {
  sections: Section[];
  current: string | undefined;
  seenOf: (sectionId: string) => number;
  /** The address of a section, for those who want to come back to it. */
  addressOf: (sectionId: string) => string;
  go: (sectionId: string) => void;
}

export function Contents(props: Props) {
  return useNarrow() ? <ContentsSelect {...props} /> : <ContentsList {...props} />;
}

function ContentsSelect({ sections, current, seenOf, go }: Props) {
  return (
    <div className={styles.jump}>
      <select aria-label="Go to section" value={current ?? ""} onChange={(event) => go(event.target.value)}>
        {sections.map((section) => (
          <option key={section.section_id} value={section.section_id}>
            {section.title}
            {newsOf(section, seenOf(section.section_id)) ? " (new)" : ""}
          </option>
        ))}
      </select>
    </div>
  );
}

function ContentsList({ sections, current, seenOf, addressOf, go }: Props) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => keepInSight(box.current, current), [current]);
  return (
    <nav ref={box} className={styles.contents} aria-label="Sections">
      <ol className="plain-list">
        {sections.map((section) => (
          <li key={section.section_id}>
            <Link
              href={addressOf(section.section_id)}
              data-section={section.section_id}
              aria-current={section.section_id === current ? "location" : undefined}
              onClick={() => go(section.section_id)}
            >
              <span className={styles.entry}>
                <Text>{section.title}</Text>
                {newsOf(section, seenOf(section.section_id)) && <span className={styles.dot} title="New" />}
              </span>
              <span className={styles.about}>
                Version {section.version}
                {section.author && (
                  <>
                    , <Text>{section.author}</Text>
                  </>
                )}
                , <Time at={section.updated_at} />
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Scrolls the list only: the page belongs to the reader. */
function keepInSight(box: HTMLElement | null, current: string | undefined): void {
  const entry = current && box?.querySelector<HTMLElement>(`[data-section="${CSS.escape(current)}"]`);
  if (!box || !entry) return;
  const above = entry.offsetTop - box.scrollTop;
  if (above < 0 || above + entry.offsetHeight > box.clientHeight) {
    box.scrollTop = entry.offsetTop - box.clientHeight / 3;
  }
}
