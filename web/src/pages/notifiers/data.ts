import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";

export type Notifier = Schemas["NotifierView"];
export type NewNotifier = Schemas["AddNotifier"];
export type Delivery = Schemas["DeliveryView"];

export const KINDS: [NewNotifier["kind"], string, string][] = [
  ["webhook", "Webhook", "URL of the receiver"],
  ["ntfy", "ntfy", "URL of the topic"],
  ["slack", "Slack", "URL of the incoming webhook"],
  ["email", "E-mail", "ada@example.org"],
];

export const EVENTS: [NonNullable<NewNotifier["events"]>[number], string][] = [
  ["question", "A question that blocks"],
  ["approval", "A call that waits for approval"],
  ["task_failed", "A failed task"],
  ["agent_silent", "An agent silent for long"],
];

export function useNotifiers() {
  return useQuery({
    queryKey: keys.notifiers,
    refetchOnWindowFocus: "always",
    queryFn: ({ signal }) => unwrap(client.GET("/notifiers", { signal })),
  });
}

export function useDeliveries(name: string) {
  return useQuery({
    queryKey: [...keys.deliveries, name],
    refetchOnWindowFocus: "always",
    queryFn: ({ signal }) =>
      unwrap(client.GET("/notifiers/{name}/deliveries", { params: { path: { name }, query: { limit: 20 } }, signal })),
  });
}

function useRefresh() {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: keys.notifiers });
}

function useRefreshDeliveries() {
  const queries = useQueryClient();
  const refresh = useRefresh();
  return () => {
    refresh();
    void queries.invalidateQueries({ queryKey: keys.deliveries });
  };
}

/** Not cached: the secret is forgotten with the page. */
export function useAdd() {
  return useMutation({
    gcTime: 0,
    mutationFn: (wanted: NewNotifier) => unwrap(client.POST("/notifiers", { body: wanted })),
    onSuccess: useRefresh(),
  });
}

export function useRemove() {
  return useMutation({
    mutationFn: (name: string) => unwrap(client.DELETE("/notifiers/{name}", { params: { path: { name } } })),
    onSuccess: useRefresh(),
  });
}

export function useTest() {
  return useMutation({
    mutationFn: (name: string) => unwrap(client.POST("/notifiers/{name}/test", { params: { path: { name } } })),
    onSettled: useRefreshDeliveries(),
  });
}
