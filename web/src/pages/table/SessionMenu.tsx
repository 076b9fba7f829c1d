import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { Suspense, useState } from "react";
import { useLocation } from "wouter";
import { client, type Schemas, unwrap } from "@/api/client";
import { useIsOwner } from "@/api/me";
import { keys } from "@/api/queries";
import { focusContentIfLost } from "@/pages/table/focus";
import { Menu, MenuItem } from "@/pages/table/Menu";
import { RedactDialog } from "@/pages/table/Redact";
import { TOMBSTONE } from "@/pages/table/redactable";
import styles from "@/pages/table/table.module.css";
import { Copy } from "@/parts/Copy";
import { FormDialog } from "@/parts/Form";
import { lazily } from "@/parts/lazily";
import { useErrorToast, useToast } from "@/parts/Toasts";

const ShareDialog = lazily(() => import("@/pages/table/ShareDialog"));

const TIMES = [
  ["1h", "1 hour"],
  ["24h", "24 hours"],
  ["7d", "7 days"],
] as const;

function useRefresh(id: string): () => void {
  const queries = useQueryClient();
  return () => {
    void queries.invalidateQueries({ queryKey: keys.session(id) });
    void queries.invalidateQueries({ queryKey: keys.overview });
  };
}

/** What can be done with the session as a whole. */
export function SessionMenu({ session }: { session: Schemas["TableView"] }) {
  const id = session.session_id;
  const owner = useIsOwner();
  const [closing, setClosing] = useState(false);
  const [redacting, setRedacting] = useState(false);
  const [sharing, setSharing] = useState(false);
  const extend = useExtend(id);
  const fork = useFork(id);
  const active = session.status === "active";
  const address = `/sessions/${encodeURIComponent(id)}/export`;
  return (
    <>
      <Menu
        label="Actions for the session"
        title={
          <>
            {(extend.isPending || fork.isPending) && <span className="wheel" aria-hidden="true" />}
            Actions <ChevronDown size={16} aria-hidden="true" />
          </>
        }
      >
        {active &&
          TIMES.map(([ttl, words]) => (
            <MenuItem key={ttl} act={() => extend.mutate(ttl)}>
              Keep for {words} from now
            </MenuItem>
          ))}
        <MenuItem act={() => setSharing(true)}>Share a link to read</MenuItem>
        <MenuItem act={() => fork.mutate()}>Fork it: go on in a copy</MenuItem>
        {owner && (
          <>
            <a className="button" href={`${address}?format=md`} download>
              Export to read (Markdown)
            </a>
            <a className="button" href={address} download>
              Export for programs (JSON)
            </a>
          </>
        )}
        {active && owner && <MenuItem act={() => setClosing(true)}>Close the session</MenuItem>}
        {owner && session.purpose && session.purpose !== TOMBSTONE && (
          <MenuItem act={() => setRedacting(true)}>Redact the purpose</MenuItem>
        )}
        {!owner && <p className="soft small">Closing and exporting a session is for owners.</p>}
        <hr />
        <div className={styles.id}>
          <span className="mono">{id}</span>
          <Copy text={id} label="Copy id" />
        </div>
      </Menu>
      {sharing && (
        <Suspense fallback={null}>
          <ShareDialog id={id} close={() => setSharing(false)} />
        </Suspense>
      )}
      {closing && <CloseDialog id={id} shut={() => setClosing(false)} />}
      {redacting && <RedactDialog session={id} thing={{ kind: "session", id }} close={() => setRedacting(false)} />}
    </>
  );
}

function useExtend(id: string) {
  const say = useToast();
  const sayProblem = useErrorToast();
  const refresh = useRefresh(id);
  return useMutation({
    mutationFn: (ttl: string) =>
      unwrap(client.POST("/sessions/{session_id}/extend", { params: { path: { session_id: id } }, body: { ttl } })),
    onSuccess: ({ expires_at }) => {
      say(`The session is kept until ${new Date(expires_at).toLocaleString()}.`);
      refresh();
    },
    onError: sayProblem,
  });
}

function useFork(id: string) {
  const say = useToast();
  const sayProblem = useErrorToast();
  const queries = useQueryClient();
  const [, go] = useLocation();
  return useMutation({
    mutationFn: () =>
      unwrap(client.POST("/sessions/{session_id}/fork", { params: { path: { session_id: id } }, body: {} })),
    onSuccess: ({ session_id }) => {
      void queries.invalidateQueries({ queryKey: keys.overview });
      say("This is the copy. Agents join it by its id.");
      go(`/sessions/${encodeURIComponent(session_id)}`);
    },
    onError: sayProblem,
  });
}

function CloseDialog({ id, shut }: { id: string; shut: () => void }) {
  const say = useToast();
  const refresh = useRefresh(id);
  const close = useMutation({
    mutationFn: () => unwrap(client.POST("/sessions/{session_id}/close", { params: { path: { session_id: id } } })),
    onSuccess: () => {
      say("The session is closed.");
      refresh();
      shut();
      setTimeout(focusContentIfLost);
    },
  });
  return (
    <FormDialog
      title="Close this session?"
      about="Everything in it stays readable, but nobody can change anything any more. It cannot be opened again."
      action="Close it"
      kind="bad"
      cancel="Keep it open"
      saving={close}
      save={() => close.mutate()}
      close={shut}
    />
  );
}
