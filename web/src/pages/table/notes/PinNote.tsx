import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import type { Note } from "@/pages/table/notes/data";
import { useDraft } from "@/parts/drafts";
import { Field, FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

/** Words between commas, each once. */
function tagsFrom(text: string): string[] {
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
  const say = useToast();
  const [text, write, forget] = useDraft(`note/${id}/${replaces?.id ?? ""}`, {
    content: replaces?.content ?? "",
    tags: replaces?.tags.join(", ") ?? "",
    source: replaces?.source ?? "",
  });
  const { content, tags, source } = text;
  const leave = () => {
    forget();
    close();
  };
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
      leave();
    },
  });
  return (
    <FormDialog
      title={replaces ? `Replace note ${replaces.id}` : "Pin a note"}
      about="Every agent of the session can find it. Markdown is rendered."
      action="Pin the note"
      complete={content.trim() !== ""}
      saving={pin}
      save={() => pin.mutate()}
      close={leave}
    >
      <Field label="What is to be remembered">
        {(field) => (
          <textarea
            id={field}
            rows={6}
            value={content}
            required
            onChange={(event) => write({ ...text, content: event.target.value })}
          />
        )}
      </Field>
      <Field label="Tags, between commas">
        {(field) => (
          <input
            id={field}
            type="text"
            value={tags}
            onChange={(event) => write({ ...text, tags: event.target.value })}
          />
        )}
      </Field>
      <Field label="Where it comes from: an address or words">
        {(field) => (
          <input
            id={field}
            type="text"
            value={source}
            onChange={(event) => write({ ...text, source: event.target.value })}
          />
        )}
      </Field>
    </FormDialog>
  );
}
