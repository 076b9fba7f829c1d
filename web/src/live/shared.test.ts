import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listenTogether } from "@/live/shared";
import type { Hearer } from "@/live/stream";

/** Tabs of one browser hear each other at once here, and one never hears itself. */
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

interface Claim {
  work: () => Promise<void>;
  lose: () => void;
  settle: () => void;
}

/** One lock for all tabs: who asks waits in line, unless they steal it. */
class Locks {
  private holder: Claim | undefined;
  private line: Claim[] = [];

  request(_name: string, { signal, steal }: LockOptions, work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const lose = () => reject(new DOMException("lost", "AbortError"));
      const claim = { work, lose, settle: resolve };
      signal?.addEventListener("abort", () => {
        this.line = this.line.filter((other) => other !== claim);
        if (this.holder !== claim) lose();
      });
      if (steal) {
        this.holder?.lose();
        this.hold(claim);
      } else if (this.holder) this.line.push(claim);
      else this.hold(claim);
    });
  }

  private hold(claim: Claim): void {
    this.holder = claim;
    void claim.work().then(() => {
      if (this.holder !== claim) return;
      this.holder = undefined;
      claim.settle();
      const next = this.line.shift();
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

/** Every request for the stream is a connection that greets with 40 and stays open until the page hangs up. */
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
  const heard: string[] = [];
  const hearer: Hearer = {
    event: ({ seq }) => heard.push(`event ${seq}`),
    state: (state) => heard.push(state),
    fresh: () => heard.push("fresh"),
    beat: () => {},
  };
  const close = listenTogether(hearer);
  ends.push(close);
  return { heard, close };
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

test("two tabs share one connection, and both hear its events", async () => {
  const first = openTab();
  await passing(0);
  const second = openTab();
  await passing(0);

  connections[0]?.send(event(41));
  await passing(0);

  expect(connections).toHaveLength(1);
  expect(first.heard).toContain("event 41");
  expect(second.heard).toEqual(["live", "fresh", "event 41"]);
});

test("when the listening tab is closed, another goes on where it was", async () => {
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
  expect(second.heard.slice(-2)).toEqual(["live", "event 42"]);
});

test("a listening tab that says nothing is replaced, and lets its connection go", async () => {
  openTab();
  await passing(0);
  const second = openTab();
  await passing(0);

  await passing(45_000);
  connections.at(-1)?.send(event(41));
  await passing(0);

  expect(connections.filter(({ open }) => open)).toHaveLength(1);
  expect(connections[0]?.open).toBe(false);
  expect(second.heard.at(-1)).toBe("event 41");
});

test("a browser without locks listens in every tab", async () => {
  vi.stubGlobal("navigator", {});

  openTab();
  openTab();
  await passing(0);

  expect(connections).toHaveLength(2);
});
