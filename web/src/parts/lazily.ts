import { lazy } from "react";

const PAUSE = 1000;

/** A part of the page that comes when it is first shown. While the server is away it waits until it is back. */
export const lazily: typeof lazy = (load) => lazy(() => load().catch(() => untilServed().then(load)));

async function untilServed(): Promise<void> {
  while (!(await isServed())) await new Promise((wake) => setTimeout(wake, PAUSE));
}

function isServed(): Promise<boolean> {
  const answer = fetch("/favicon.svg", { method: "HEAD", cache: "no-store" });
  return answer.then(
    ({ ok }) => ok,
    () => false,
  );
}
