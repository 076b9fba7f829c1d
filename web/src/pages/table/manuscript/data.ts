import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { wholeDraft } from "@/pages/table/manuscript/text";

export type Section = Schemas["SectionView"];

/** Titles and versions only: a draft may be larger than one answer carries. */
export function useOutline(id: string) {
  return useQuery({
    queryKey: [...keys.of(id, "draft"), "outline"],
    queryFn: async ({ signal }): Promise<Section[]> => {
      const params = { path: { session_id: id }, query: { include_content: false } };
      return (await unwrap(client.GET("/sessions/{session_id}/draft", { params, signal }))).sections ?? [];
    },
  });
}

/** A version never changes but by redaction, which takes back everything that was read of the session.
 *  Its key is not the draft's: a word in one section is no reason to read all the others again. */
export function useVersion(id: string, sectionId: string, version: number | undefined) {
  return useQuery({
    queryKey: [...keys.session(id), "version", sectionId, version],
    enabled: version !== undefined,
    queryFn: async ({ signal }): Promise<Section> => {
      const params = {
        path: { session_id: id, section_id: sectionId },
        query: version === undefined ? {} : { version },
      };
      const answer = await unwrap(client.GET("/sessions/{session_id}/draft/{section_id}", { params, signal }));
      return answer.section ?? { section_id: sectionId, title: sectionId, version: version ?? 0, content: "" };
    },
  });
}

function useDraftChanged(id: string): () => void {
  const queries = useQueryClient();
  return () => {
    void queries.invalidateQueries({ queryKey: keys.of(id, "draft") });
    void queries.invalidateQueries({ queryKey: keys.of(id, "overview") });
  };
}

export function useWrite(id: string) {
  const changed = useDraftChanged(id);
  return useMutation({
    mutationFn: ({ sectionId, ...body }: { sectionId: string } & Schemas["WriteDraftSection"]) =>
      unwrap(
        client.PUT("/sessions/{session_id}/draft/{section_id}", {
          params: { path: { session_id: id, section_id: sectionId } },
          body,
        }),
      ),
    // Also after a conflict: somebody else wrote, and the page must show it.
    onSettled: changed,
  });
}

export function useRevert(id: string, sectionId: string) {
  const changed = useDraftChanged(id);
  return useMutation({
    mutationFn: (body: Schemas["RevertDraftSection"]) =>
      unwrap(
        client.POST("/sessions/{session_id}/draft/{section_id}/revert", {
          params: { path: { session_id: id, section_id: sectionId } },
          body,
        }),
      ),
    onSettled: changed,
  });
}

export function useRedactVersion(id: string, sectionId: string, done: (backups: string[]) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (version: number) =>
      unwrap(
        client.POST("/sessions/{session_id}/redact", {
          params: { path: { session_id: id } },
          body: { kind: "section", id: sectionId, version },
        }),
      ),
    onSuccess: ({ backups }) => {
      done(backups);
      void queries.resetQueries({ queryKey: [...keys.session(id), "version"] });
    },
  });
}

export async function readWhole(id: string): Promise<string> {
  const params = { path: { session_id: id }, query: { include_content: true } };
  const answer = await unwrap(client.GET("/sessions/{session_id}/draft", { params }));
  return wholeDraft(answer.sections ?? []);
}

/** The version that the section has by now, where a write was refused because of it. */
export function conflictIn(problem: unknown): number | undefined {
  if (!(problem instanceof ApiError) || problem.code !== "VERSION_CONFLICT") return undefined;
  const current = problem.details.current_version;
  return typeof current === "number" ? current : undefined;
}
