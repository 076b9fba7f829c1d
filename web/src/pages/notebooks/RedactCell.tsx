import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import type { ListedCell } from "@/pages/notebooks/data";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { Notice, Problem } from "@/parts/Notice";
import { Text } from "@/parts/Text";

const ABOUT =
  "Its text, tags, metadata and schema are replaced by a tombstone: here, in the trash, in search. This cannot be undone.";

/** For owners: a secret was pasted into a cell, and must go from everywhere. */
export function RedactCell({ id, cell, close }: { id: string; cell: ListedCell | undefined; close: () => void }) {
  const queries = useQueryClient();
  const redaction = useMutation({
    mutationFn: (cell_id: string) =>
      unwrap(
        client.POST("/scratchpads/{scratch_id}/cells/{cell_id}/redact", {
          params: { path: { scratch_id: id, cell_id } },
        }),
      ),
    onSuccess: () => {
      void queries.resetQueries({ queryKey: keys.notebooks });
      void queries.resetQueries({ queryKey: keys.cells });
    },
  });
  const leave = () => {
    close();
    redaction.reset();
  };
  return (
    <Dialog
      open={cell !== undefined}
      close={leave}
      title={`Redact cell ${(cell?.index ?? 0) + 1}${redaction.data ? "" : "?"}`}
      about={redaction.data ? undefined : ABOUT}
    >
      <div className="stack">
        {redaction.error && <Problem of={redaction.error} />}
        {redaction.data ? (
          <Done redacted={redaction.data} leave={leave} />
        ) : (
          <div className="row">
            <Button kind="bad" busy={redaction.isPending} onClick={() => cell && redaction.mutate(cell.cell_id)}>
              Redact the cell
            </Button>
            <Button onClick={leave}>Keep it</Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

function Done({ redacted, leave }: { redacted: Schemas["Redacted"]; leave: () => void }) {
  return (
    <>
      <Notice tone={redacted.backups.length > 0 ? "warn" : "good"}>
        <strong>The cell is redacted.</strong>
        {redacted.backups.length > 0 && (
          <>
            <span>These backups were made before and still hold it. Delete them, or keep them where nobody reads:</span>
            <ul>
              {redacted.backups.map((backup) => (
                <li key={backup} className="mono">
                  <Text>{backup}</Text>
                </li>
              ))}
            </ul>
          </>
        )}
        <span>Whoever saw the secret still knows it: change it where it is used.</span>
      </Notice>
      <div className="row">
        <Button kind="main" onClick={leave}>
          Done
        </Button>
      </div>
    </>
  );
}
