import { useState } from "react";
import { useAddUpstream } from "@/pages/gateway/data";
import { EMPTY, type EntryDraft, entryOf, isComplete } from "@/pages/gateway/entry";
import { useDraft } from "@/parts/drafts";
import { Field, FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

const ABOUT = (
  <>
    Agents of your team can use its tools as soon as you have accepted them. A secret is best kept in the environment of
    the server, and referred to by{" "}
    <code>
      {"$"}
      {"{env:NAME}"}
    </code>
    . What you type here is stored, and never shown again.
  </>
);

/** What outlives a reload: addresses, commands, headers and variables may hold a secret. */
type KeptFields = Pick<EntryDraft, "kind" | "name" | "scope">;

export function AddUpstream({ close }: { close: () => void }) {
  const [kept, keep, forget] = useDraft<KeptFields>("upstream", { kind: EMPTY.kind, name: "", scope: "" });
  const [secrets, setSecrets] = useState({ url: "", command: "", values: "" });
  const draft: EntryDraft = { ...secrets, ...kept };
  const [accepts, setAccepts] = useState(false);
  const saving = useAddUpstream();
  const say = useToast();
  const change = (part: Partial<EntryDraft>) => {
    const { kind, name, scope, ...rest } = { ...draft, ...part };
    keep({ kind, name, scope });
    setSecrets(rest);
  };
  const save = () =>
    saving.mutate(
      { name: draft.name.trim(), entry: entryOf(draft), accept: accepts },
      {
        onSuccess: ({ upstream, accepted }) => {
          say(
            accepted?.length
              ? `${upstream.name} is added, with ${accepted.length} tools.`
              : `${upstream.name} is added.`,
          );
          forget();
          close();
        },
      },
    );
  return (
    <FormDialog
      title="Add an upstream"
      about={ABOUT}
      action="Add"
      complete={isComplete(draft)}
      saving={saving}
      save={save}
      close={close}
    >
      <Field label="Name">
        {(id) => (
          <input
            id={id}
            required
            maxLength={64}
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <SourceFields draft={draft} change={change} />
      <Field label="Scope">
        {(id) => (
          <select id={id} value={draft.scope} onChange={(event) => change({ scope: event.target.value })}>
            <option value="">As is usual for its kind</option>
            <option value="shared">One for everybody</option>
            <option value="tenant">One for each team</option>
            <option value="session">One for each session</option>
          </select>
        )}
      </Field>
      <label className="row">
        <input type="checkbox" checked={accepts} onChange={(event) => setAccepts(event.target.checked)} />
        <span>Accept the tools that it has now</span>
      </label>
    </FormDialog>
  );
}

function SourceFields({ draft, change }: { draft: EntryDraft; change: (part: Partial<EntryDraft>) => void }) {
  const isUrl = draft.kind === "url";
  return (
    <>
      <Field label="Where it is">
        {(id) => (
          <select
            id={id}
            value={draft.kind}
            onChange={(event) => change({ kind: event.target.value as EntryDraft["kind"] })}
          >
            <option value="url">A server with an address</option>
            <option value="command">A program that this server starts</option>
          </select>
        )}
      </Field>
      <Field label={isUrl ? "Address" : "Command"}>
        {(id) => (
          <input
            id={id}
            required
            className="mono"
            spellCheck={false}
            autoComplete="off"
            placeholder={isUrl ? "Address of its MCP endpoint" : "npx -y @modelcontextprotocol/server-memory"}
            value={isUrl ? draft.url : draft.command}
            onChange={(event) => change(isUrl ? { url: event.target.value } : { command: event.target.value })}
          />
        )}
      </Field>
      <Field label={isUrl ? "Headers, one NAME=VALUE a line" : "Variables, one NAME=VALUE a line"}>
        {(id) => (
          <textarea
            id={id}
            rows={2}
            className="mono"
            spellCheck={false}
            autoComplete="off"
            value={draft.values}
            onChange={(event) => change({ values: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
