import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keys, newQueryClient } from "@/api/queries";
import { EventStreamProvider, useStreamState } from "@/live/EventStreamProvider";

let send: (text: string) => void;
let endStream: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("BroadcastChannel", undefined);
  vi.stubGlobal("fetch", () => {
    const body = new ReadableStream<Uint8Array>({
      start(out) {
        send = (text) => out.enqueue(new TextEncoder().encode(text));
        endStream = () => out.close();
      },
    });
    send("retry: 1000\nid: 40\n\n");
    return Promise.resolve(new Response(body));
  });
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const passing = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

const sendEvent = (seq: number) =>
  send(`id: ${seq}\nevent: message/added\ndata: {"seq":${seq},"kind":"message/added","session_id":"s"}\n\n`);

function Reader({ read }: { read: () => Promise<number> }) {
  const { data } = useQuery({ queryKey: keys.overview, queryFn: read });
  return (
    <p>
      {useStreamState()}, read {data ?? 0} times
    </p>
  );
}

function open(read: () => Promise<number>, onSignedOut = () => {}) {
  render(
    <QueryClientProvider client={newQueryClient()}>
      <EventStreamProvider onSignedOut={onSignedOut}>
        <Reader read={read} />
      </EventStreamProvider>
    </QueryClientProvider>,
  );
}

/** A query that takes some time and returns how often it was read. */
function slowly(milliseconds: number) {
  let count = 0;
  return () =>
    new Promise<number>((resolve) => {
      count += 1;
      const number = count;
      setTimeout(() => resolve(number), milliseconds);
    });
}

test("a burst of events is one reading", async () => {
  const read = vi.fn(slowly(10));
  open(read);
  await passing(200);
  read.mockClear();

  for (let seq = 41; seq < 61; seq += 1) sendEvent(seq);
  await passing(500);

  expect(read).toHaveBeenCalledTimes(1);
});

test("what is read slowly arrives, although something happens all the time", async () => {
  open(slowly(300));
  await passing(1_000);

  for (let seq = 41; seq < 81; seq += 1) {
    sendEvent(seq);
    await passing(50);
  }

  expect(Number(/read (\d+)/.exec(screen.getByText(/live/).textContent)?.[1])).toBeGreaterThan(4);
});

test("what happens during a reading is read after it", async () => {
  const read = vi.fn(slowly(300));
  open(read);
  await passing(1_000);
  read.mockClear();

  sendEvent(41);
  await passing(200);
  sendEvent(42);
  await passing(1_000);

  expect(read).toHaveBeenCalledTimes(2);
});

test("what was asked before the stream opened is asked again after it, for its answer may be older", async () => {
  const read = vi.fn(slowly(300));
  open(read);
  await passing(1_000);

  expect(read).toHaveBeenCalledTimes(2);
  expect(screen.getByText("live, read 2 times")).toBeTruthy();
});

test("the end of the login is reported once", async () => {
  const signedOut = vi.fn();
  open(slowly(10), signedOut);
  await passing(100);

  send('event: end\ndata: {"after":40,"reason":"unauthorized"}\n\n');
  endStream();
  await passing(10_000);

  expect(signedOut).toHaveBeenCalledTimes(1);
});
