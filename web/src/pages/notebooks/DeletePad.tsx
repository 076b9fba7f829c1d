import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { Problem } from "@/parts/Notice";
import { useToast } from "@/parts/Toasts";

export function DeletePad({ id, open, close }: { id: string; open: boolean; close: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [, go] = useLocation();
  const removal = useMutation({
    mutationFn: () => unwrap(client.DELETE("/scratchpads/{scratch_id}", { params: { path: { scratch_id: id } } })),
    onSuccess: () => {
      say(`${id} is in the trash.`);
      close();
      go("/notebooks");
      void queries.invalidateQueries({ queryKey: keys.notebooks });
      void queries.invalidateQueries({ queryKey: keys.trash });
    },
  });
  return (
    <Dialog
      open={open}
      close={close}
      title="Delete this scratchpad?"
      about="It goes to the trash with all its cells, and can be restored from there for some days."
    >
      <div className="stack">
        {removal.error && <Problem of={removal.error} />}
        <div className="row">
          <Button kind="bad" busy={removal.isPending} onClick={() => removal.mutate()}>
            Delete the scratchpad
          </Button>
          <Button onClick={close}>Keep it</Button>
        </div>
      </div>
    </Dialog>
  );
}
