import { createParser } from "eventsource-parser";
import { isLiveEvent, type LiveEvent } from "@/live/event";

/** `live`: events arrive. `lost`: they do not, and it is tried again. `out`: this login does not count any more. */
export type StreamState = "connecting" | "live" | "lost" | "out";

export interface Hearer {
  event(event: LiveEvent): void;
  state(state: StreamState): void;
  /** Whatever was read before now may be stale: events may have been missed, or none was ever heard. */
  fresh(): void;
  beat(): void;
}

const SHORTEST_WAIT = 250;
const LONGEST_WAIT = 5_000;
/** The server breaks its silence more often than this: a longer one means that nobody is there. */
const LONGEST_SILENCE = 45_000;

/** Reads the events of the tenant until it is aborted, and after every break goes on where it was. */
export class EventStream {
  cursor: number | null;
  private wait = SHORTEST_WAIT;

  constructor(
    private readonly hearer: Hearer,
    cursor: number | null = null,
    private readonly address = "/events",
  ) {
    this.cursor = cursor;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ended = await this.listen(signal).catch(() => "lost" as const);
      if (signal.aborted) return;
      this.hearer.state(ended);
      if (ended === "out") return;
      await pause(this.wait, signal);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    }
  }

  private async listen(signal: AbortSignal): Promise<"lost" | "out"> {
    const silence = new AbortController();
    const cut = () => silence.abort();
    const doze = () => setTimeout(cut, LONGEST_SILENCE);
    // A browser without a network does not end what is open: nothing would come, and nobody would know.
    globalThis.addEventListener?.("offline", cut);
    let asleep = doze();
    const stirred = () => {
      clearTimeout(asleep);
      asleep = doze();
    };
    try {
      const answer = await fetch(this.address, {
        headers: this.cursor === null ? {} : { "Last-Event-ID": String(this.cursor) },
        signal: AbortSignal.any([signal, silence.signal]),
        cache: "no-store",
      });
      if (answer.status === 401) return "out";
      if (!answer.ok || !answer.body) return "lost";
      return await this.read(answer.body, stirred);
    } finally {
      clearTimeout(asleep);
      globalThis.removeEventListener?.("offline", cut);
    }
  }

  private async read(body: ReadableStream<Uint8Array>, stirred: () => void): Promise<"lost" | "out"> {
    const resumed = this.cursor !== null;
    let ended: "lost" | "out" = "lost";
    let opening: string | undefined = "";
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === "end") ended = endedBecause(data);
        else if (event === "lagged") this.hearer.fresh();
        else this.hear(data);
      },
      onComment: () => this.hearer.beat(),
    });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return ended;
      stirred();
      const text = decoder.decode(value, { stream: true });
      if (opening !== undefined) {
        opening += text;
        if (opening.includes("\n\n")) {
          this.greet(opening, resumed);
          opening = undefined;
        }
      }
      parser.feed(text);
    }
  }

  /** The first frame has no data, only the cursor to come back with; a parser of events passes over it. */
  private greet(text: string, resumed: boolean): void {
    const cursor = /^id: ?(\d+)$/m.exec(text);
    if (!resumed && cursor) this.cursor = Number(cursor[1]);
    this.wait = SHORTEST_WAIT;
    this.hearer.state("live");
    if (!resumed) this.hearer.fresh();
  }

  private hear(data: string): void {
    const event: unknown = JSON.parse(data);
    if (!isLiveEvent(event) || (this.cursor !== null && event.seq <= this.cursor)) return;
    this.cursor = event.seq;
    this.hearer.event(event);
  }
}

function endedBecause(data: string): "lost" | "out" {
  return (JSON.parse(data) as { reason?: string }).reason === "unauthorized" ? "out" : "lost";
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
