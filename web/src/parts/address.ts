import { useCallback } from "react";
import { useLocation, useSearch } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";

/** One word behind the question mark of the address, and a way to change it that leaves the others there. */
export function useSearchParam(name: string): [string, (value: string) => void] {
  const [path] = useBrowserLocation();
  const [, go] = useLocation();
  const search = useSearch();
  const change = useCallback(
    (value: string) => {
      const address = new URLSearchParams(search);
      if (value) address.set(name, value);
      else address.delete(name);
      const written = address.toString();
      go(written ? `${path}?${written}` : path, { replace: true });
    },
    [go, path, search, name],
  );
  return [new URLSearchParams(search).get(name) ?? "", change];
}
