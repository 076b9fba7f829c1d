import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveEvent } from "@/live/event";
import { EventStream, type StreamListener } from "@/live/stream";

const FIRST_FRAME = "retry: 1000\nid: 40\n\n";

function frame(seq: number, kind = "message/added"): string {
  const event = { seq, kind, session_id: "s", actor: "ann", timestamp: "2026-01-01T00:00:00Z" };
  return `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** How the page ends a response. */
const abortOf = new WeakMap<Response, () => void>();

/** A response that sends these chunks and stays open until `end` is called. */
function openResponse(...chunks: string[]): { response: Response; send: (text: string) => void; end: () => void } {
  const encoder = new TextEncoder();
  let out: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      out = controller;
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
    },
  });
  const response = new Response(body);
  abortOf.set(response, () => out.error(new DOMException("aborted", "AbortError")));
  return {
    response,
    send: (text) => out.enqueue(encoder.encode(text)),
    end: () => out.close(),
  };
}

function endedResponse(...chunks: string[]): Response {
  const { response, end } = openResponse(...chunks);
  end();
  return response;
}

class RecordingListener implements StreamListener {
  readonly received: string[] = [];
  onEvent(event: LiveEvent) {
    this.received.push(`event ${event.seq}`);
  }
  onState(state: string) {
    this.received.push(state);
  }
  onStale() {
    this.received.push("stale");
  }
  onHeartbeat() {
    this.received.push("heartbeat");
  }
}

type Step = Response | Error;

/** Answers each request in turn; one more request waits for ever. */
function serve(...steps: Step[]) {
  const requests: { cursor: string | null; at: number }[] = [];
  const fetching = vi.fn((_address: string, { headers, signal }: RequestInit) => {
    requests.push({ cursor: new Headers(headers).get("Last-Event-ID"), at: Date.now() });
    const step = steps.shift();
    if (step instanceof Error) return Promise.reject(step);
    if (step) {
      signal?.addEventListener("abort", () => abortOf.get(step)?.());
      return Promise.resolve(step);
    }
    return new Promise<Response>((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    });
  });
  vi.stubGlobal("fetch", fetching);
  return requests;
}

let page: AbortController;

function listen(cursor: number | null = null) {
  const listener = new RecordingListener();
  const stream = new EventStream(listener, cursor);
  const running = stream.run(page.signal);
  return { listener, stream, running };
}

const passing = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers();
  page = new AbortController();
});

afterEach(() => {
  page.abort();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the first connection", () => {
  test("is live, and whatever was read before it may be stale", async () => {
    serve(openResponse(FIRST_FRAME).response);

    const { listener } = listen();
    await passing(0);

    expect(listener.received).toEqual(["live", "stale"]);
  });

  test("takes its cursor from the first frame", async () => {
    const requests = serve(endedResponse(FIRST_FRAME));

    const { stream } = listen();
    await passing(300);

    expect(stream.cursor).toBe(40);
    expect(requests.map(({ cursor }) => cursor)).toEqual([null, "40"]);
  });

  test("takes the whole cursor when the first frame comes in pieces", async () => {
    const { response, send } = openResponse("retry: 10");
    serve(response);

    const { listener, stream } = listen();
    for (const piece of ["00\nid: 4", "0\n", `\n${frame(41)}`]) {
      send(piece);
      await passing(0);
    }

    expect(stream.cursor).toBe(41);
    expect(listener.received).toEqual(["live", "stale", "event 41"]);
  });

  test("does not count as open before the first frame is whole", async () => {
    serve(openResponse("retry: 1000\nid: 4").response);

    const { listener, stream } = listen();
    await passing(0);

    expect(stream.cursor).toBeNull();
    expect(listener.received).toEqual([]);
  });
});

describe("events", () => {
  test("are delivered in order, and each moves the cursor", async () => {
    serve(openResponse(FIRST_FRAME, frame(41), frame(44)).response);

    const { listener, stream } = listen();
    await passing(0);

    expect(listener.received).toEqual(["live", "stale", "event 41", "event 44"]);
    expect(stream.cursor).toBe(44);
  });

  test("are delivered once when their frame is split between two chunks, even within a letter", async () => {
    const bytes = new TextEncoder().encode(`${FIRST_FRAME}${frame(41).replace("ann", "zoë")}`);
    const middle = bytes.indexOf(0xc3) + 1;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.slice(0, middle));
        controller.enqueue(bytes.slice(middle));
      },
    });
    serve(new Response(body));
    const actors: string[] = [];
    const listener = Object.assign(new RecordingListener(), {
      onEvent: (event: LiveEvent) => actors.push(event.actor),
    });

    void new EventStream(listener).run(page.signal);
    await passing(0);

    expect(actors).toEqual(["zoë"]);
  });

  test("that were delivered already are dropped", async () => {
    serve(openResponse(FIRST_FRAME, frame(40), frame(41), frame(41), frame(42)).response);

    const { listener } = listen();
    await passing(0);

    expect(listener.received.filter((entry) => entry.startsWith("event"))).toEqual(["event 41", "event 42"]);
  });

  test("that are left out make everything stale", async () => {
    serve(openResponse(FIRST_FRAME, 'event: lagged\ndata: {"lagged":true,"after":40}\n\n').response);

    const { listener } = listen();
    await passing(0);

    expect(listener.received).toEqual(["live", "stale", "stale"]);
  });

  test("may be followed by silence, which is broken by a heartbeat", async () => {
    serve(openResponse(FIRST_FRAME, ": still here\n\n").response);

    const { listener } = listen();
    await passing(0);

    expect(listener.received).toEqual(["live", "stale", "heartbeat"]);
  });
});

describe("after a break", () => {
  test("it resumes after the last event, and nothing is stale", async () => {
    const requests = serve(
      endedResponse(FIRST_FRAME, frame(41)),
      openResponse("retry: 1000\nid: 41\n\n", frame(42)).response,
    );

    const { listener } = listen();
    await passing(300);

    expect(requests[1]?.cursor).toBe("41");
    expect(listener.received).toEqual(["live", "stale", "event 41", "lost", "live", "event 42"]);
  });

  test("it resumes after what another tab had received", async () => {
    const requests = serve(openResponse("retry: 1000\nid: 7\n\n", frame(8)).response);

    const { listener } = listen(7);
    await passing(0);

    expect(requests[0]?.cursor).toBe("7");
    expect(listener.received).toEqual(["live", "event 8"]);
  });

  test("it waits longer with each try, five seconds at most", async () => {
    const away = () => new TypeError("Failed to fetch");
    const requests = serve(away(), away(), away(), away(), away(), away(), away());

    listen();
    await passing(25_000);

    const waits = requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0));
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  test("it does not wait on when the machine is online again", async () => {
    const requests = serve(new TypeError("1"), new TypeError("2"), new TypeError("3"), new TypeError("4"));
    listen();
    await passing(1_750);

    window.dispatchEvent(new Event("online"));
    await passing(0);

    expect(requests).toHaveLength(5);
  });

  test("it tries as soon as at first once it has been live", async () => {
    const requests = serve(new TypeError("away"), new TypeError("away"), endedResponse(FIRST_FRAME));

    listen();
    await passing(2_000);

    expect((requests[3]?.at ?? 0) - (requests[2]?.at ?? 0)).toBe(250);
  });

  test("a server that is busy is tried again", async () => {
    const requests = serve(new Response("", { status: 503 }), openResponse(FIRST_FRAME).response);

    const { listener } = listen();
    await passing(300);

    expect(listener.received).toEqual(["lost", "live", "stale"]);
    expect(requests).toHaveLength(2);
  });

  test("a silence of 45 seconds counts as one", async () => {
    const requests = serve(openResponse(FIRST_FRAME).response);

    const { listener } = listen();
    await passing(45_300);

    expect(listener.received).toEqual(["live", "stale", "lost"]);
    expect(requests).toHaveLength(2);
  });

  test("a machine without a network counts as one at once", async () => {
    serve(openResponse(FIRST_FRAME).response);
    const { listener } = listen();
    await passing(0);

    window.dispatchEvent(new Event("offline"));
    await passing(0);

    expect(listener.received).toEqual(["live", "stale", "lost"]);
  });

  test("a server that never answers counts as one", async () => {
    const requests = serve();

    const { listener } = listen();
    await passing(45_300);

    expect(listener.received).toEqual(["lost"]);
    expect(requests).toHaveLength(2);
  });

  test("heartbeats keep a silent connection", async () => {
    const { response, send } = openResponse(FIRST_FRAME);
    const requests = serve(response);
    listen();

    for (let count = 0; count < 10; count += 1) {
      await passing(15_000);
      send(": still here\n\n");
    }

    expect(requests).toHaveLength(1);
  });
});

describe("the end", () => {
  test("of a login is final", async () => {
    const requests = serve(endedResponse(FIRST_FRAME, 'event: end\ndata: {"after":40,"reason":"unauthorized"}\n\n'));

    const { listener, running } = listen();
    await running;
    await passing(10_000);

    expect(listener.received).toEqual(["live", "stale", "unauthorized"]);
    expect(requests).toHaveLength(1);
  });

  test("is final when the login does not count from the start", async () => {
    const requests = serve(new Response("", { status: 401 }));

    const { listener, running } = listen();
    await running;

    expect(listener.received).toEqual(["unauthorized"]);
    expect(requests).toHaveLength(1);
  });

  test("of a server that stops is a break like others", async () => {
    const requests = serve(endedResponse(FIRST_FRAME, 'event: end\ndata: {"after":40,"reason":"stopping"}\n\n'));

    const { listener } = listen();
    await passing(300);

    expect(listener.received).toEqual(["live", "stale", "lost"]);
    expect(requests[1]?.cursor).toBe("40");
  });

  test("by the page is silent", async () => {
    serve(new TypeError("away"));
    const { listener, running } = listen();
    await passing(0);

    page.abort();
    await running;

    expect(listener.received).toEqual(["lost"]);
  });
});
