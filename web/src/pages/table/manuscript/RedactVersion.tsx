import { EyeOff } from "lucide-react";
import { useState } from "react";
import { useIsOwner } from "@/api/me";
import { type Section, useRedactVersion } from "@/pages/table/manuscript/data";
import { Button } from "@/parts/Button";
import { FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

/** For a secret that was pasted: an owner takes the text of one version back for good. */
export function RedactVersion({ id, section, version }: { id: string; section: Section; version: number }) {
  const owner = useIsOwner();
  const [asking, setAsking] = useState(false);
  const say = useToast();
  const redact = useRedactVersion(id, section.section_id, (backups) => {
    const kept = backups.length > 0 ? ` Backups still hold it: ${backups.join(", ")}.` : "";
    setAsking(false);
    say(`Version ${version} is redacted.${kept}`);
  });
  if (!owner) return null;
  return (
    <>
      <Button
        small
        kind="quiet"
        title="For a secret that was pasted: takes the text of this version away for good"
        onClick={() => {
          redact.reset();
          setAsking(true);
        }}
      >
        <EyeOff size={14} aria-hidden="true" /> Redact version {version}
      </Button>
      {asking && (
        <FormDialog
          title={`Redact version ${version} of ${section.title}?`}
          about="For a secret that was pasted. The text of this version is replaced by a tombstone everywhere: here, in events and in search. Other versions stay: look whether they hold it too. This cannot be undone."
          action="Redact for good"
          kind="bad"
          cancel="Keep it"
          saving={redact}
          save={() => redact.mutate(version)}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
