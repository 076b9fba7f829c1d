import { BookOpenText, Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { useIsOwner } from "@/api/me";
import { AddSection } from "@/pages/table/manuscript/AddSection";
import { Contents } from "@/pages/table/manuscript/Contents";
import { CopyWhole } from "@/pages/table/manuscript/CopyWhole";
import { type Section as Outlined, useOutline } from "@/pages/table/manuscript/data";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { elementOf, goTo } from "@/pages/table/manuscript/place";
import { SectionView } from "@/pages/table/manuscript/SectionView";
import { useCurrent } from "@/pages/table/manuscript/viewport";
import { Button } from "@/parts/Button";
import { Empty, Loaded } from "@/parts/Notice";

/** The draft of a session, to be read; with every earlier version of each section. */
export default function Manuscript({ id, closed }: { id: string; closed: boolean }) {
  const owner = useIsOwner();
  const outline = useOutline(id);
  const latest = useRef<Outlined[]>(undefined);
  latest.current = outline.data ?? latest.current;
  return (
    // A redaction empties what was read until it is read again; titles may stay, and the place in the text with them.
    <Loaded query={{ ...outline, data: latest.current }} what="the manuscript">
      {(sections) => <DraftView id={id} closed={closed} mayWrite={owner && !closed} sections={sections} />}
    </Loaded>
  );
}

interface Props {
  id: string;
  closed: boolean;
  mayWrite: boolean;
  sections: Outlined[];
}

function DraftView({ id, closed, mayWrite, sections }: Props) {
  const [adding, setAdding] = useState(false);
  const { seenOf, see } = useSeen(sections);
  const current = useCurrent(
    sections.map((section) => section.section_id),
    elementOf,
  );
  const { addressOf, go } = useSectionRoute(id);
  return (
    <section className="stack" aria-label="Manuscript">
      <div className="row apart">
        <h2 className={styles.count}>
          {sections.length === 1 ? "1 section" : `${sections.length} sections`}
          <span className="hidden-but-read"> in the manuscript</span>
        </h2>
        <div className="row">
          {sections.length > 0 && <CopyWhole id={id} />}
          {mayWrite && (
            <Button onClick={() => setAdding(true)}>
              <Plus size={16} aria-hidden="true" /> Add a section
            </Button>
          )}
          {!mayWrite && !closed && <span className="soft small">Writing in the draft is for owners and agents.</span>}
        </div>
      </div>
      {sections.length === 0 ? (
        <EmptyDraft closed={closed} mayWrite={mayWrite} />
      ) : (
        <div className={styles.layout}>
          <Contents sections={sections} current={current} seenOf={seenOf} addressOf={addressOf} go={go} />
          <div className={styles.sections}>
            {sections.map((section) => (
              <SectionView
                key={section.section_id}
                id={id}
                mayWrite={mayWrite}
                section={section}
                seen={seenOf(section.section_id)}
                see={see}
              />
            ))}
          </div>
        </div>
      )}
      {adding && <AddSection id={id} sections={sections} close={() => setAdding(false)} see={see} />}
    </section>
  );
}

/** `/sessions/ID/draft/SECTION` opens the manuscript at a section. */
function useSectionRoute(id: string) {
  const [, navigate] = useLocation();
  const [, params] = useRoute("/sessions/:id/draft/:section");
  const sectionId = params?.section;
  useEffect(() => {
    if (sectionId) goTo(sectionId);
  }, [sectionId]);
  const addressOf = (sectionId: string) => `/sessions/${encodeURIComponent(id)}/draft/${sectionId}`;
  const go = (sectionId: string) => {
    navigate(addressOf(sectionId));
    // Also where the address is the same as before: somebody scrolled away and wants to be back.
    goTo(sectionId);
  };
  return { addressOf, go };
}

/** Which version of each section was there when the page was opened, or was looked at since. */
function useSeen(sections: Outlined[]) {
  const [seen, setSeen] = useState<Record<string, number>>(() =>
    Object.fromEntries(sections.map((section) => [section.section_id, section.version])),
  );
  return {
    seenOf: (sectionId: string) => seen[sectionId] ?? 0,
    see: (sectionId: string, version: number) => setSeen((former) => ({ ...former, [sectionId]: version })),
  };
}

function EmptyDraft({ closed, mayWrite }: { closed: boolean; mayWrite: boolean }) {
  return (
    <Empty icon={<BookOpenText size={28} aria-hidden="true" />} title="Nothing is written yet">
      <p>
        {closed
          ? "Nobody wrote a draft here while the session was open."
          : "Agents write the result of their work here, section by section, and every version stays readable."}
        {mayWrite && " You can begin it with a section of your own."}
      </p>
    </Empty>
  );
}
