import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { focusContentIfLost } from "@/pages/table/focus";
import { FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

export interface Redactable {
  kind: "note" | "message";
  id: string;
}

/** Asks before a text is taken back for good. */
export function RedactDialog({ session, thing, close }: { session: string; thing: Redactable; close: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const redact = useMutation({
    mutationFn: () =>
      unwrap(
        client.POST("/sessions/{session_id}/redact", { params: { path: { session_id: session } }, body: { ...thing } }),
      ),
    onSuccess: async ({ backups }) => {
      const kept = backups.length > 0 ? ` Backups still hold it: ${backups.join(", ")}.` : "";
      say(`The ${thing.kind} is redacted.${kept}`);
      close();
      await queries.resetQueries({ queryKey: keys.session(session) });
      focusContentIfLost();
    },
  });
  const name = `${thing.kind} ${thing.id}`;
  return (
    <FormDialog
      title={`Redact ${name}?`}
      about="For a secret that was pasted. The text is replaced by a tombstone everywhere: here, in the history, in events and in search. This cannot be undone."
      action="Redact for good"
      kind="bad"
      cancel="Keep it"
      saving={redact}
      save={() => redact.mutate()}
      close={close}
    />
  );
}
