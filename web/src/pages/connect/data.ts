import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { useIsOwner } from "@/api/me";
import { keys } from "@/api/queries";
import { useToast } from "@/parts/Toasts";

export type Token = Schemas["TokenView"];
export type CreatedToken = Schemas["TokenMade"];
export type TokenRequest = Schemas["CreateToken"];

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

/** Not cached: the secret is forgotten with the page. */
export function useCreateToken() {
  const queries = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: (request: TokenRequest) => unwrap(client.POST("/tokens", { body: request })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: keys.tokens }),
  });
}

export function useRevoke() {
  const queries = useQueryClient();
  const say = useToast();
  return useMutation({
    mutationFn: ({ token_id }: Token) =>
      unwrap(client.DELETE("/tokens/{token_id}", { params: { path: { token_id } } })),
    onSuccess: (_, { name }) => {
      say(`The token ${name} is revoked.`);
      return queries.invalidateQueries({ queryKey: keys.tokens });
    },
  });
}
