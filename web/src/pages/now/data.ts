import { useMutation, useQuery } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";

export type AgentNow = Schemas["AgentNow"];
export type Span = Schemas["SpanView"];
export type Control = "pause" | "resume" | "stop";

/** Who does what now, over all sessions. */
export function useNowRead() {
  return useQuery({
    queryKey: keys.now,
    queryFn: ({ signal }) => unwrap(client.GET("/now", { signal })),
  });
}

/** A message to one agent: words, or a request to pause, to go on or to stop. */
export function useWriteTo({ agent, session_id }: Pick<AgentNow, "agent" | "session_id">) {
  return useMutation({
    mutationFn: (message: { content: string; kind: "message" | "control" }) =>
      unwrap(
        client.POST("/sessions/{session_id}/messages", {
          params: { path: { session_id } },
          body: { ...message, to: agent },
        }),
      ),
  });
}
