import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveEvent } from "@/live/event";
import { EventStream, type Hearer } from "@/live/stream";

const GREETING = "retry: 1000\nid: 40\n\n";

function frame(seq: number, kind = "message/added"): string {
  const event = { seq, kind, session_id: "s", actor: "ann", timestamp: "2026-01-01T00:00:00Z" };
  return `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** How the page hangs up on an answer. */
const cut = new WeakMap<Response, () => void>();

/** An answer of the server that sends these chunks and stays open, unless it is told to hang up. */
function answer(...chunks: string[]): { response: Response; send: (text: string) => void; hangUp: () => void } {
  const encoder = new TextEncoder();
  let out: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      out = controller;
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
    },
  });
  const response = new Response(body);
  cut.set(response, () => out.error(new DOMException("aborted", "AbortError")));
  return {
    response,
    send: (text) => out.enqueue(encoder.encode(text)),
    hangUp: () => out.close(),
  };
}

function over(...chunks: string[]): Response {
  const { response, hangUp } = answer(...chunks);
  hangUp();
  return response;
}

class Ear implements Hearer {
  readonly heard: string[] = [];
  event(event: LiveEvent) {
    this.heard.push(`event ${event.seq}`);
  }
  state(state: string) {
    this.heard.push(state);
  }
  fresh() {
    this.heard.push("fresh");
  }
  beat() {
    this.heard.push("beat");
  }
}

type Step = Response | Error;

/** Answers each request in turn; whoever asks once more waits for ever. */
function serve(...steps: Step[]) {
  const asked: { cursor: string | null; at: number }[] = [];
  const fetching = vi.fn((_address: string, { headers, signal }: RequestInit) => {
    asked.push({ cursor: new Headers(headers).get("Last-Event-ID"), at: Date.now() });
    const step = steps.shift();
    if (step instanceof Error) return Promise.reject(step);
    if (step) {
      signal?.addEventListener("abort", () => cut.get(step)?.());
      return Promise.resolve(step);
    }
    return new Promise<Response>((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    });
  });
  vi.stubGlobal("fetch", fetching);
  return asked;
}

let end: AbortController;

function listen(cursor: number | null = null) {
  const ear = new Ear();
  const stream = new EventStream(ear, cursor);
  const running = stream.run(end.signal);
  return { ear, stream, running };
}

const passing = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers();
  end = new AbortController();
});

afterEach(() => {
  end.abort();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the first connection", () => {
  test("is live, and whatever was read before it may be stale", async () => {
    serve(answer(GREETING).response);

    const { ear } = listen();
    await passing(0);

    expect(ear.heard).toEqual(["live", "fresh"]);
  });

  test("takes its cursor from the first frame", async () => {
    const asked = serve(over(GREETING));

    const { stream } = listen();
    await passing(300);

    expect(stream.cursor).toBe(40);
    expect(asked.map(({ cursor }) => cursor)).toEqual([null, "40"]);
  });

  test("takes the whole cursor when the first frame comes in pieces", async () => {
    const { response, send } = answer("retry: 10");
    serve(response);

    const { ear, stream } = listen();
    for (const piece of ["00\nid: 4", "0\n", `\n${frame(41)}`]) {
      send(piece);
      await passing(0);
    }

    expect(stream.cursor).toBe(41);
    expect(ear.heard).toEqual(["live", "fresh", "event 41"]);
  });

  test("does not count as made before the first frame is whole", async () => {
    serve(answer("retry: 1000\nid: 4").response);

    const { ear, stream } = listen();
    await passing(0);

    expect(stream.cursor).toBeNull();
    expect(ear.heard).toEqual([]);
  });
});

describe("events", () => {
  test("are heard in order, and each moves the cursor", async () => {
    serve(answer(GREETING, frame(41), frame(44)).response);

    const { ear, stream } = listen();
    await passing(0);

    expect(ear.heard).toEqual(["live", "fresh", "event 41", "event 44"]);
    expect(stream.cursor).toBe(44);
  });

  test("are heard once when their frame is split between two chunks, even within a letter", async () => {
    const bytes = new TextEncoder().encode(`${GREETING}${frame(41).replace("ann", "zoë")}`);
    const middle = bytes.indexOf(0xc3) + 1;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.slice(0, middle));
        controller.enqueue(bytes.slice(middle));
      },
    });
    serve(new Response(body));
    const actors: string[] = [];
    const ear = Object.assign(new Ear(), { event: (event: LiveEvent) => actors.push(event.actor) });

    void new EventStream(ear).run(end.signal);
    await passing(0);

    expect(actors).toEqual(["zoë"]);
  });

  test("that were heard already are dropped", async () => {
    serve(answer(GREETING, frame(40), frame(41), frame(41), frame(42)).response);

    const { ear } = listen();
    await passing(0);

    expect(ear.heard.filter((word) => word.startsWith("event"))).toEqual(["event 41", "event 42"]);
  });

  test("that are left out make everything stale", async () => {
    serve(answer(GREETING, 'event: lagged\ndata: {"lagged":true,"after":40}\n\n').response);

    const { ear } = listen();
    await passing(0);

    expect(ear.heard).toEqual(["live", "fresh", "fresh"]);
  });

  test("may be followed by silence, which is broken by a beat", async () => {
    serve(answer(GREETING, ": still here\n\n").response);

    const { ear } = listen();
    await passing(0);

    expect(ear.heard).toEqual(["live", "fresh", "beat"]);
  });
});

describe("after a break", () => {
  test("it goes on behind the last event, and nothing is stale", async () => {
    const asked = serve(over(GREETING, frame(41)), answer("retry: 1000\nid: 41\n\n", frame(42)).response);

    const { ear } = listen();
    await passing(300);

    expect(asked[1]?.cursor).toBe("41");
    expect(ear.heard).toEqual(["live", "fresh", "event 41", "lost", "live", "event 42"]);
  });

  test("it goes on behind what another tab had heard", async () => {
    const asked = serve(answer("retry: 1000\nid: 7\n\n", frame(8)).response);

    const { ear } = listen(7);
    await passing(0);

    expect(asked[0]?.cursor).toBe("7");
    expect(ear.heard).toEqual(["live", "event 8"]);
  });

  test("it waits longer with each try, five seconds at most", async () => {
    const away = () => new TypeError("Failed to fetch");
    const asked = serve(away(), away(), away(), away(), away(), away(), away());

    listen();
    await passing(25_000);

    const waits = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0));
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  test("it does not wait on when the machine is online again", async () => {
    const asked = serve(new TypeError("1"), new TypeError("2"), new TypeError("3"), new TypeError("4"));
    listen();
    await passing(1_750);

    window.dispatchEvent(new Event("online"));
    await passing(0);

    expect(asked).toHaveLength(5);
  });

  test("it tries as soon as at first once it has been live", async () => {
    const asked = serve(new TypeError("away"), new TypeError("away"), over(GREETING));

    listen();
    await passing(2_000);

    expect((asked[3]?.at ?? 0) - (asked[2]?.at ?? 0)).toBe(250);
  });

  test("a server that is busy is tried again", async () => {
    const asked = serve(new Response("", { status: 503 }), answer(GREETING).response);

    const { ear } = listen();
    await passing(300);

    expect(ear.heard).toEqual(["lost", "live", "fresh"]);
    expect(asked).toHaveLength(2);
  });

  test("a silence of 45 seconds counts as one", async () => {
    const asked = serve(answer(GREETING).response);

    const { ear } = listen();
    await passing(45_300);

    expect(ear.heard).toEqual(["live", "fresh", "lost"]);
    expect(asked).toHaveLength(2);
  });

  test("a machine without a network counts as one at once", async () => {
    serve(answer(GREETING).response);
    const { ear } = listen();
    await passing(0);

    window.dispatchEvent(new Event("offline"));
    await passing(0);

    expect(ear.heard).toEqual(["live", "fresh", "lost"]);
  });

  test("a server that never answers counts as one", async () => {
    const asked = serve();

    const { ear } = listen();
    await passing(45_300);

    expect(ear.heard).toEqual(["lost"]);
    expect(asked).toHaveLength(2);
  });

  test("beats keep a silent connection", async () => {
    const { response, send } = answer(GREETING);
    const asked = serve(response);
    listen();

    for (let beat = 0; beat < 10; beat += 1) {
      await passing(15_000);
      send(": still here\n\n");
    }

    expect(asked).toHaveLength(1);
  });
});

describe("the end", () => {
  test("of a login is final", async () => {
    const asked = serve(over(GREETING, 'event: end\ndata: {"after":40,"reason":"unauthorized"}\n\n'));

    const { ear, running } = listen();
    await running;
    await passing(10_000);

    expect(ear.heard).toEqual(["live", "fresh", "out"]);
    expect(asked).toHaveLength(1);
  });

  test("is final when the login does not count from the start", async () => {
    const asked = serve(new Response("", { status: 401 }));

    const { ear, running } = listen();
    await running;

    expect(ear.heard).toEqual(["out"]);
    expect(asked).toHaveLength(1);
  });

  test("of a server that stops is a break like others", async () => {
    const asked = serve(over(GREETING, 'event: end\ndata: {"after":40,"reason":"stopping"}\n\n'));

    const { ear } = listen();
    await passing(300);

    expect(ear.heard).toEqual(["live", "fresh", "lost"]);
    expect(asked[1]?.cursor).toBe("40");
  });

  test("by the page is silent", async () => {
    serve(new TypeError("away"));
    const { ear, running } = listen();
    await passing(0);

    end.abort();
    await running;

    expect(ear.heard).toEqual(["lost"]);
  });
});
