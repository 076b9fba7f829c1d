import { ArrowLeft, EyeOff, FileQuestion, Plus, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { ApiError } from "@/api/client";
import { useIsOwner } from "@/api/me";
import { CellEditor } from "@/pages/notebooks/CellEditor";
import { Cells } from "@/pages/notebooks/Cells";
import type { CellActs, Target } from "@/pages/notebooks/CellView";
import { type Checking, useChecking } from "@/pages/notebooks/checking";
import { DeletePad } from "@/pages/notebooks/DeletePad";
import { type Cell, type ListedCell, type Pad, usePad } from "@/pages/notebooks/data";
import { summaryOf } from "@/pages/notebooks/findings";
import { PadAbout } from "@/pages/notebooks/PadAbout";
import { Problems } from "@/pages/notebooks/Problems";
import styles from "@/pages/notebooks/pad.module.css";
import { RedactCell } from "@/pages/notebooks/RedactCell";
import { RedactPad } from "@/pages/notebooks/RedactPad";
import { Button } from "@/parts/Button";
import { Copy } from "@/parts/Copy";
import { Empty, Loaded, Notice, Problem } from "@/parts/Notice";
import { Progress } from "@/parts/Progress";
import { Text } from "@/parts/Text";
import { PageHead } from "@/shell/PageHead";

/** Checking more cells than this takes long enough to show how far it is. */
const LONG = 100;

export function PadView({ id, cell }: { id: string; cell: string | undefined }) {
  const pad = usePad(id);
  const [deleting, setDeleting] = useState(false);
  const [redacting, setRedacting] = useState<ListedCell>();
  const [writing, setWriting] = useState<Cell | "new">();
  if (pad.error instanceof ApiError && [400, 404].includes(pad.error.status)) return <Gone id={id} />;
  return (
    <>
      <Loaded query={pad} what="the scratchpad">
        {(data) => (
          <Opened
            pad={data}
            cell={cell}
            remove={() => setDeleting(true)}
            acts={{ redact: setRedacting, edit: setWriting }}
            write={() => setWriting("new")}
          />
        )}
      </Loaded>
      <DeletePad id={id} open={deleting} close={() => setDeleting(false)} />
      {writing && (
        <CellEditor id={id} cell={writing === "new" ? undefined : writing} close={() => setWriting(undefined)} />
      )}
      <RedactCell id={id} cell={redacting} close={() => setRedacting(undefined)} />
    </>
  );
}

function BackLink() {
  return (
    <Link href="/notebooks" className={styles.back}>
      <ArrowLeft size={15} aria-hidden="true" /> All scratchpads
    </Link>
  );
}

function Gone({ id }: { id: string }) {
  return (
    <>
      <BackLink />
      <PageHead title={<Text>{id}</Text>} />
      <Empty icon={<FileQuestion size={28} aria-hidden="true" />} title="There is no such scratchpad">
        <p>
          It was deleted, evicted, or never there. If it was, it waits in the <Link href="/notebooks/trash">trash</Link>{" "}
          for some days.
        </p>
      </Empty>
    </>
  );
}

function Opened({
  pad,
  cell,
  remove,
  acts,
  write,
}: {
  pad: Pad;
  cell: string | undefined;
  remove: () => void;
  acts: CellActs;
  write: () => void;
}) {
  const checking = useChecking(pad);
  const [target, setTarget] = useState<Target>();
  const show = (cellId: string, line?: number) =>
    setTarget((before) => ({ cellId, line, wish: (before?.wish ?? 0) + 1 }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address says what to show, and only when it changes
  useEffect(() => {
    if (cell) show(cell);
  }, [cell]);
  const missing = cell !== undefined && !pad.outline.some((listed) => listed.cell_id === cell);
  return (
    <>
      <BackLink />
      <PadTop pad={pad} checking={checking} remove={remove} />
      <PadAbout pad={pad} />
      {missing && <Notice tone="warn">The cell that this address names is not in the scratchpad any more.</Notice>}
      <div className={styles.validation}>
        <CheckSummary pad={pad} checking={checking} />
        {checking.all && <Problems pad={pad} results={checking.all} show={show} />}
      </div>
      {pad.outline.length === 0 ? (
        <Empty title="No cells yet">
          <p>
            An agent adds them with <code>scratch_append_cell</code>; they show up here at once. You can write one, too.
          </p>
        </Empty>
      ) : (
        <Cells pad={pad} checking={checking} target={target} acts={acts} />
      )}
      <div>
        <Button onClick={write}>
          <Plus size={16} aria-hidden="true" /> Write a cell
        </Button>
      </div>
    </>
  );
}

function PadTop({ pad, checking, remove }: { pad: Pad; checking: Checking; remove: () => void }) {
  const owner = useIsOwner();
  const [redacting, setRedacting] = useState(false);
  const { title, scratch_id: id } = pad.head;
  return (
    <PageHead title={<Text>{title || id}</Text>}>
      <Button kind="main" busy={checking.busy} disabled={pad.outline.length === 0} onClick={checking.requestAll}>
        Check all
      </Button>
      <Copy text={id} label="Copy id" />
      {owner && (
        <Button kind="quiet" onClick={remove}>
          <Trash2 size={16} aria-hidden="true" /> Delete
        </Button>
      )}
      {owner && (
        <Button
          kind="quiet"
          title="For a secret that was pasted: takes the title, description and tags away for good"
          onClick={() => setRedacting(true)}
        >
          <EyeOff size={16} aria-hidden="true" /> Redact the title
        </Button>
      )}
      {redacting && <RedactPad id={id} close={() => setRedacting(false)} />}
    </PageHead>
  );
}

function CheckSummary({ pad, checking }: { pad: Pad; checking: Checking }) {
  const count = pad.outline.length;
  if (checking.problem) return <Problem of={checking.problem} again={checking.requestAll} />;
  const results = checking.all && [...checking.all.values()];
  return (
    <div aria-live="polite">
      {checking.busy && count > LONG && (
        <Progress value={checking.done / count} label={`Checking ${count.toLocaleString("en")} cells`} />
      )}
      {results && !checking.busy && (
        <Notice tone={results.every((result) => result.valid) ? "good" : "warn"}>
          <strong>{summaryOf(results)}</strong>
        </Notice>
      )}
    </div>
  );
}
