import { type Section, useVersion } from "@/pages/table/manuscript/data";
import styles from "@/pages/table/manuscript/manuscript.module.css";
import { type Against, isTooLongToCompare, nameOfVersion, pairOf } from "@/pages/table/manuscript/text";
import { Unified } from "@/pages/table/manuscript/Unified";
import { useNarrow } from "@/pages/table/narrow";
import { Diff } from "@/parts/Diff";
import { Loaded, Notice } from "@/parts/Notice";

interface Props {
  id: string;
  section: Section;
  chosen: number;
  against: Against;
}

/** What differs between the chosen version and another. */
export function VersionChanges({ id, section, chosen, against }: Props) {
  const pair = pairOf(chosen, section.version, against);
  const before = useVersion(id, section.section_id, pair && pair.before > 0 ? pair.before : undefined);
  const after = useVersion(id, section.section_id, pair?.after);
  if (!pair) return <p className="soft">This is the current version. Choose an older one to compare it with.</p>;
  const names: [string, string] = [
    nameOfVersion(pair.before, section.version),
    nameOfVersion(pair.after, section.version),
  ];
  const both = {
    data: (pair.before === 0 || before.data) && after.data ? [before.data, after.data] : undefined,
    error: before.error ?? after.error,
    refetch: () => {
      if (before.error) void before.refetch();
      if (after.error) void after.refetch();
    },
  };
  return (
    <Loaded query={both} what="both versions">
      {([old, young]) => (
        <Compared
          before={pair.before === 0 ? "" : (old?.content ?? "")}
          after={young?.content ?? ""}
          names={names}
          titles={[old?.title, young?.title]}
        />
      )}
    </Loaded>
  );
}

interface ComparedProps {
  before: string;
  after: string;
  names: [string, string];
  titles?: [string | undefined, string | undefined];
}

export function Compared({ before, after, names, titles }: ComparedProps) {
  const renamed = titles?.[0] !== undefined && titles[0] !== titles[1];
  return (
    <div className="stack">
      {renamed && (
        <p className="small">
          The title was <q>{titles?.[0]}</q>, and is <q>{titles?.[1]}</q>.
        </p>
      )}
      <Texts before={before} after={after} names={names} />
    </div>
  );
}

/** Side by side where there is room for it, else one below the other. */
function Texts({ before, after, names }: ComparedProps) {
  const narrow = useNarrow();
  if (before === after) {
    return (
      <p className="soft">
        {names[0]} and {names[1]} have the same text.
      </p>
    );
  }
  if (isTooLongToCompare(before, after)) {
    return <Notice>These texts are too long to be compared here. Read them one at a time.</Notice>;
  }
  if (narrow) return <Unified before={before} after={after} names={names} />;
  return (
    <>
      <p className={styles.both} aria-hidden="true">
        <span>{names[0]}</span>
        <span>{names[1]}</span>
      </p>
      <Diff before={before} after={after} names={names} />
    </>
  );
}
