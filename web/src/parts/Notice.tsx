import type { ReactNode } from "react";
import { ApiError } from "@/api/client";
import { Button } from "@/parts/Button";

/** Says what went wrong and what to do. */
export function Problem({ of, again }: { of: unknown; again?: (() => void) | undefined }) {
  const error = of instanceof ApiError ? of : undefined;
  const message = error?.message ?? (of instanceof Error ? of.message : "Something went wrong.");
  return (
    <div className="notice" role="alert">
      <strong>{message}</strong>
      {error?.hint && <span>{error.hint}</span>}
      {again && (
        <div>
          <Button small onClick={again}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

export function Notice({ tone = "calm", children }: { tone?: "warn" | "calm" | "good"; children: ReactNode }) {
  return (
    <div className="notice" data-tone={tone} role="status">
      {children}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="wheel" aria-hidden="true" />
      Loading {what}…
    </div>
  );
}

/** What a page shows before there is anything: why it is empty, and how it fills. */
export function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Chooses between waiting, a problem and the content of a query. */
export function Loaded<T>({
  query,
  what,
  children,
}: {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  what: string;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Problem of={query.error} again={() => void query.refetch()} />;
  return <Loading what={what} />;
}
