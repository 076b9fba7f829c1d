import { useMutation, useQueryClient } from "@tanstack/react-query";
import { EyeOff } from "lucide-react";
import { useState } from "react";
import { client, unwrap } from "@/api/client";
import { useIsOwner } from "@/api/me";
import { keys } from "@/api/queries";
import { focusContentIfLost } from "@/pages/table/focus";
import { nameOfRedacted, type Redactable } from "@/pages/table/redactable";
import { Button } from "@/parts/Button";
import { FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

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
      say(`Redacted: ${nameOfRedacted(thing)}.${kept}`);
      close();
      void queries.invalidateQueries({ queryKey: keys.questions });
      void queries.invalidateQueries({ queryKey: keys.overview });
      await queries.resetQueries({ queryKey: keys.session(session) });
      focusContentIfLost();
    },
  });
  return (
    <FormDialog
      title={`Redact ${nameOfRedacted(thing)}?`}
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

/** For owners: asks, and takes a text back for good. `subject` is what the button says that it redacts. */
export function RedactButton({ session, thing, subject }: { session: string; thing: Redactable; subject: string }) {
  const owner = useIsOwner();
  const [asking, setAsking] = useState(false);
  if (!owner) return null;
  return (
    <>
      <Button
        small
        kind="quiet"
        title="For a secret that was pasted: takes the text away for good"
        onClick={() => setAsking(true)}
      >
        <EyeOff size={14} aria-hidden="true" /> Redact {subject}
      </Button>
      {asking && <RedactDialog session={session} thing={thing} close={() => setAsking(false)} />}
    </>
  );
}
