import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { useIsOwner } from "@/api/me";
import { keys } from "@/api/queries";
import { useSay } from "@/parts/Toasts";

export type Token = Schemas["TokenView"];
export type Made = Schemas["TokenMade"];
export type Wanted = Schemas["CreateToken"];

export function useTokens() {
  const owner = useIsOwner();
  return useQuery({
    queryKey: keys.tokens,
    enabled: owner,
    refetchOnWindowFocus: "always",
    queryFn: ({ signal }) => unwrap(client.GET("/tokens", { signal })),
  });
}

export function useSessionChoices() {
  return useQuery({
    queryKey: [...keys.overview, "to choose from"],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/overview", { params: { query: { status: "active", limit: 200 } }, signal })),
  });
}

/** The secret is nobody's but the page's: it is forgotten with it. */
export function useCreateToken() {
  const queries = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: (wanted: Wanted) => unwrap(client.POST("/tokens", { body: wanted })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: keys.tokens }),
  });
}

export function useRevoke() {
  const queries = useQueryClient();
  const say = useSay();
  return useMutation({
    mutationFn: ({ token_id }: Token) =>
      unwrap(client.DELETE("/tokens/{token_id}", { params: { path: { token_id } } })),
    onSuccess: (_, { name }) => {
      say(`The token ${name} is revoked.`);
      return queries.invalidateQueries({ queryKey: keys.tokens });
    },
  });
}
