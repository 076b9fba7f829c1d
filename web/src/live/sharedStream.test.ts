import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openSharedStream } from "@/live/sharedStream";
import type { StreamListener } from "@/live/stream";

/** A message reaches all other tabs at once here, and never the tab that sent it. */
class Channel {
  static open = new Set<Channel>();
  onmessage: ((message: { data: unknown }) => void) | undefined;
  constructor() {
    Channel.open.add(this);
  }
  postMessage(data: unknown) {
    for (const other of Channel.open) if (other !== this) other.onmessage?.({ data });
  }
  close() {
    Channel.open.delete(this);
  }
}

interface LockRequest {
  work: () => Promise<void>;
  reject: () => void;
  resolve: () => void;
}

/** One lock for all tabs: a request waits in a queue, unless it steals the lock. */
class Locks {
  private holder: LockRequest | undefined;
  private queue: LockRequest[] = [];

  request(_name: string, { signal, steal }: LockOptions, work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, fail) => {
      const reject = () => fail(new DOMException("lost", "AbortError"));
      const request = { work, reject, resolve };
      signal?.addEventListener("abort", () => {
        this.queue = this.queue.filter((other) => other !== request);
        if (this.holder !== request) reject();
      });
      if (steal) {
        this.holder?.reject();
        this.hold(request);
      } else if (this.holder) this.queue.push(request);
      else this.hold(request);
    });
  }

  private hold(request: LockRequest): void {
    this.holder = request;
    void request.work().then(() => {
      if (this.holder !== request) return;
      this.holder = undefined;
      request.resolve();
      const next = this.queue.shift();
      if (next) this.hold(next);
    });
  }
}

interface Connection {
  cursor: string | null;
  send: (text: string) => void;
  open: boolean;
}

let connections: Connection[];
let ends: (() => void)[];

/** Every request for the stream is a connection that begins at event 40 and stays open until the page ends it. */
function connect(_address: string, { headers, signal }: RequestInit): Promise<Response> {
  const encoder = new TextEncoder();
  const cursor = new Headers(headers).get("Last-Event-ID");
  const connection: Connection = { cursor, send: () => {}, open: true };
  const body = new ReadableStream<Uint8Array>({
    start(out) {
      connection.send = (text) => out.enqueue(encoder.encode(text));
      connection.send(`retry: 1000\nid: ${cursor ?? 40}\n\n`);
      signal?.addEventListener("abort", () => {
        connection.open = false;
        out.error(new DOMException("aborted", "AbortError"));
      });
    },
  });
  connections.push(connection);
  return Promise.resolve(new Response(body));
}

function event(seq: number): string {
  return `id: ${seq}\nevent: message/added\ndata: {"seq":${seq},"kind":"message/added","session_id":"s"}\n\n`;
}

function openTab() {
  const received: string[] = [];
  const listener: StreamListener = {
    onEvent: ({ seq }) => received.push(`event ${seq}`),
    onState: (state) => received.push(state),
    onStale: () => received.push("stale"),
    onHeartbeat: () => {},
  };
  const close = openSharedStream(listener);
  ends.push(close);
  return { received, close };
}

const passing = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  connections = [];
  ends = [];
  Channel.open.clear();
  vi.useFakeTimers();
  vi.stubGlobal("fetch", connect);
  vi.stubGlobal("BroadcastChannel", Channel);
  vi.stubGlobal("navigator", { locks: new Locks() });
});

afterEach(() => {
  for (const end of ends) end();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("two tabs share one connection, and both receive its events", async () => {
  const first = openTab();
  await passing(0);
  const second = openTab();
  await passing(0);

  connections[0]?.send(event(41));
  await passing(0);

  expect(connections).toHaveLength(1);
  expect(first.received).toContain("event 41");
  expect(second.received).toEqual(["live", "stale", "event 41"]);
});

test("when the leading tab is closed, another resumes where it was", async () => {
  const first = openTab();
  await passing(0);
  const second = openTab();
  await passing(0);
  connections[0]?.send(event(41));
  await passing(0);

  first.close();
  await passing(0);
  connections[1]?.send(event(42));
  await passing(0);

  expect(connections[1]?.cursor).toBe("41");
  expect(second.received.slice(-2)).toEqual(["live", "event 42"]);
});

test("a leading tab that is silent is replaced, and ends its connection", async () => {
  openTab();
  await passing(0);
  const second = openTab();
  await passing(0);

  await passing(45_000);
  connections.at(-1)?.send(event(41));
  await passing(0);

  expect(connections.filter(({ open }) => open)).toHaveLength(1);
  expect(connections[0]?.open).toBe(false);
  expect(second.received.at(-1)).toBe("event 41");
});

test("a browser without locks listens in every tab", async () => {
  vi.stubGlobal("navigator", {});

  openTab();
  openTab();
  await passing(0);

  expect(connections).toHaveLength(2);
});
