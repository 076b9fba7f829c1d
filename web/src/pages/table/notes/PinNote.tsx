import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import type { Note } from "@/pages/table/notes/data";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { Problem } from "@/parts/Notice";
import { useSay } from "@/parts/Toasts";

/** Words between commas, each once. */
export function tagsFrom(text: string): string[] {
  return [
    ...new Set(
      text
        .split(",")
        .map((tag) => tag.trim())
        .filter(Boolean),
    ),
  ];
}

/** A person pins a note, perhaps in the place of an older one. */
export function PinNote({ id, replaces, close }: { id: string; replaces: Note | null; close: () => void }) {
  const queries = useQueryClient();
  const say = useSay();
  const names = { content: useId(), tags: useId(), source: useId() };
  const [content, setContent] = useState(replaces?.content ?? "");
  const [tags, setTags] = useState(replaces?.tags.join(", ") ?? "");
  const [source, setSource] = useState(replaces?.source ?? "");
  const pin = useMutation({
    mutationFn: () =>
      unwrap(
        client.POST("/sessions/{session_id}/notes", {
          params: { path: { session_id: id } },
          body: {
            content,
            tags: tagsFrom(tags),
            ...(source.trim() ? { source: source.trim() } : {}),
            ...(replaces ? { supersedes: replaces.id } : {}),
          },
        }),
      ),
    onSuccess: ({ note }) => {
      say(`Note ${note.id} is pinned.`);
      void queries.invalidateQueries({ queryKey: keys.of(id, "notes") });
      close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (content.trim()) pin.mutate();
  };
  return (
    <Dialog
      open
      close={close}
      title={replaces ? `Replace note ${replaces.id}` : "Pin a note"}
      about="Every agent of the session can find it. Markdown is rendered."
    >
      <form className="stack" onSubmit={submit}>
        <label htmlFor={names.content}>What is to be remembered</label>
        <textarea
          id={names.content}
          rows={6}
          value={content}
          required
          onChange={(event) => setContent(event.target.value)}
        />
        <label htmlFor={names.tags}>Tags, between commas</label>
        <input id={names.tags} type="text" value={tags} onChange={(event) => setTags(event.target.value)} />
        <label htmlFor={names.source}>Where it comes from: an address or words</label>
        <input id={names.source} type="text" value={source} onChange={(event) => setSource(event.target.value)} />
        {pin.error && <Problem of={pin.error} />}
        <div className="row">
          <Button kind="main" type="submit" busy={pin.isPending} disabled={!content.trim()}>
            Pin the note
          </Button>
          <Button kind="quiet" onClick={close}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
