import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

/** For owners: what describes a scratchpad holds a secret. Its cells are redacted one by one. */
export function RedactPad({ id, close }: { id: string; close: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const redact = useMutation({
    mutationFn: () => unwrap(client.POST("/scratchpads/{scratch_id}/redact", { params: { path: { scratch_id: id } } })),
    onSuccess: ({ backups }) => {
      const kept = backups.length > 0 ? ` Backups still hold it: ${backups.join(", ")}.` : "";
      say(`What describes ${id} is redacted.${kept}`);
      close();
      void queries.resetQueries({ queryKey: keys.notebooks });
      void queries.invalidateQueries({ queryKey: keys.trash });
    },
  });
  return (
    <FormDialog
      title={`Redact what describes ${id}?`}
      about="For a secret that was pasted. Title, description, summary, tags and metadata are replaced by a tombstone: here, in the trash and in search. Its id and its cells stay. This cannot be undone."
      action="Redact for good"
      kind="bad"
      cancel="Keep it"
      saving={redact}
      save={() => redact.mutate()}
      close={close}
    />
  );
}
