import { Undo2 } from "lucide-react";
import { useState } from "react";
import { type Section, useRevert } from "@/pages/table/manuscript/data";
import { Button } from "@/parts/Button";
import { FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

interface Props {
  id: string;
  section: Section;
  to: number;
  see: (sectionId: string, version: number) => void;
}

/** Brings an old version back, as a new one: nothing is lost by it. */
export function Revert({ id, section, to, see }: Props) {
  const [asking, setAsking] = useState(false);
  const revert = useRevert(id, section.section_id);
  const say = useToast();
  const confirm = () => {
    see(section.section_id, section.version + 1);
    revert.mutate(
      { to_version: to, expected_version: section.version },
      {
        onSuccess: (answer) => {
          see(section.section_id, answer.section.version);
          setAsking(false);
          say(`Version ${to} is back, as version ${answer.section.version}.`);
        },
        onError: () => see(section.section_id, section.version),
      },
    );
  };
  return (
    <>
      <Button
        small
        onClick={() => {
          revert.reset();
          setAsking(true);
        }}
      >
        <Undo2 size={14} aria-hidden="true" /> Bring version {to} back
      </Button>
      {asking && (
        <FormDialog
          title={`Bring version ${to} back?`}
          about={`Its title and text become version ${section.version + 1}. Version ${section.version} stays in the history.`}
          action="Bring it back"
          saving={revert}
          save={confirm}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
