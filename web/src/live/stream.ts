import { createParser } from "eventsource-parser";
import { isLiveEvent, type LiveEvent } from "@/live/event";

/** `live`: events arrive. `lost`: the connection broke and is tried again. `unauthorized`: the login has ended. */
export type StreamState = "connecting" | "live" | "lost" | "unauthorized";
type Ended = Extract<StreamState, "lost" | "unauthorized">;

export interface StreamListener {
  onEvent(event: LiveEvent): void;
  onState(state: StreamState): void;
  /** Everything read before now may be stale: events may have been missed. */
  onStale(): void;
  onHeartbeat(): void;
}

const FIRST_RETRY_DELAY = 250;
const LONGEST_RETRY_DELAY = 5_000;
/** The server sends a heartbeat more often than this. */
const SILENCE_TIMEOUT = 45_000;

/** Reads the events of the tenant until it is aborted, and resumes after every break where it was. */
export class EventStream {
  cursor: number | null;
  private retryDelay = FIRST_RETRY_DELAY;

  constructor(
    private readonly listener: StreamListener,
    cursor: number | null = null,
    private readonly address = "/events",
  ) {
    this.cursor = cursor;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ended = await this.connect(signal).catch(() => "lost" as const);
      if (signal.aborted) return;
      this.listener.onState(ended);
      if (ended === "unauthorized") return;
      await pause(this.retryDelay, signal);
      this.retryDelay = Math.min(this.retryDelay * 2, LONGEST_RETRY_DELAY);
    }
  }

  private async connect(signal: AbortSignal): Promise<Ended> {
    const broken = new AbortController();
    const abort = () => broken.abort();
    // A browser that goes offline does not end open connections: nothing would arrive, and no error either.
    globalThis.addEventListener?.("offline", abort);
    let timeout = setTimeout(abort, SILENCE_TIMEOUT);
    const restartTimeout = () => {
      clearTimeout(timeout);
      timeout = setTimeout(abort, SILENCE_TIMEOUT);
    };
    try {
      const response = await fetch(this.address, {
        headers: this.cursor === null ? {} : { "Last-Event-ID": String(this.cursor) },
        signal: AbortSignal.any([signal, broken.signal]),
        cache: "no-store",
      });
      if (response.status === 401) return "unauthorized";
      if (!response.ok || !response.body) return "lost";
      return await this.read(response.body, restartTimeout);
    } finally {
      clearTimeout(timeout);
      globalThis.removeEventListener?.("offline", abort);
    }
  }

  private async read(body: ReadableStream<Uint8Array>, onChunk: () => void): Promise<Ended> {
    const resumed = this.cursor !== null;
    let ended: Ended = "lost";
    let firstFrame: string | undefined = "";
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === "end") ended = endReason(data);
        else if (event === "lagged") this.listener.onStale();
        else this.deliver(data);
      },
      onComment: () => this.listener.onHeartbeat(),
    });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return ended;
      onChunk();
      const text = decoder.decode(value, { stream: true });
      if (firstFrame !== undefined) {
        firstFrame += text;
        if (firstFrame.includes("\n\n")) {
          this.opened(firstFrame, resumed);
          firstFrame = undefined;
        }
      }
      parser.feed(text);
    }
  }

  /** The first frame has no data, only the cursor to resume from; the event parser ignores it. */
  private opened(firstFrame: string, resumed: boolean): void {
    const cursor = /^id: ?(\d+)$/m.exec(firstFrame);
    if (!resumed && cursor) this.cursor = Number(cursor[1]);
    this.retryDelay = FIRST_RETRY_DELAY;
    this.listener.onState("live");
    if (!resumed) this.listener.onStale();
  }

  private deliver(data: string): void {
    const event: unknown = JSON.parse(data);
    if (!isLiveEvent(event) || (this.cursor !== null && event.seq <= this.cursor)) return;
    this.cursor = event.seq;
    this.listener.onEvent(event);
  }
}

function endReason(data: string): Ended {
  return (JSON.parse(data) as { reason?: string }).reason === "unauthorized" ? "unauthorized" : "lost";
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    globalThis.addEventListener?.("online", done, { once: true });
    signal.addEventListener("abort", done, { once: true });
  });
}
