import { useStreamState } from "@/live/EventStreamProvider";

/** Says that the page is not live, as long as it is not. */
export function Connection() {
  const state = useStreamState();
  if (state !== "lost") return <div role="status" data-connection={state} className="hidden-but-read" />;
  return (
    <div className="connection" role="status" data-connection={state}>
      <span className="wheel" aria-hidden="true" />
      The connection is lost. What you see may be old; it catches up by itself as soon as the server is back.
    </div>
  );
}
