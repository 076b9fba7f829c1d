import type { LiveEvent } from "@/live/event";
import { EventStream, type Hearer, type StreamState } from "@/live/stream";

/** A browser opens six connections to a server at most, over all its tabs. So one tab listens and tells the others. */
const NAME = "longtable-events";
const LEADER_SILENT_AFTER = 40_000;

type Word =
  | { type: "event"; event: LiveEvent }
  | { type: "state"; state: StreamState }
  | { type: "fresh" }
  | { type: "beat" }
  | { type: "hello" };

/** Listens until the returned function is called. */
export function listenTogether(hearer: Hearer): () => void {
  const end = new AbortController();
  if (!("locks" in navigator) || typeof BroadcastChannel === "undefined") {
    void new EventStream(hearer).run(end.signal);
    return () => end.abort();
  }
  const seat = new Seat(hearer, end.signal);
  seat.take();
  return () => end.abort();
}

class Seat {
  private readonly channel = new BroadcastChannel(NAME);
  private cursor: number | null = null;
  private leads = false;
  private reign = new AbortController();
  private latest: StreamState = "connecting";
  private heard = Date.now();

  constructor(
    private readonly hearer: Hearer,
    private readonly signal: AbortSignal,
  ) {
    this.channel.onmessage = (message: MessageEvent<Word>) => this.listen(message.data);
    const watch = setInterval(() => this.watch(), 5_000);
    signal.addEventListener("abort", () => {
      clearInterval(watch);
      this.channel.close();
    });
  }

  take(): void {
    this.queue({ signal: this.signal });
    this.channel.postMessage({ type: "hello" } satisfies Word);
  }

  private queue(options: LockOptions): void {
    navigator.locks.request(NAME, options, () => this.lead()).catch(() => this.deposed());
  }

  private async lead(): Promise<void> {
    this.leads = true;
    this.reign = new AbortController();
    await new EventStream(this.teller(), this.cursor).run(AbortSignal.any([this.signal, this.reign.signal]));
  }

  /** Another tab found this one silent and took over: go on as one of the listeners. */
  private deposed(): void {
    this.leads = false;
    this.reign.abort();
    if (!this.signal.aborted) this.queue({ signal: this.signal });
  }

  private teller(): Hearer {
    const tell = (word: Word) => {
      if (!this.leads || this.signal.aborted) return;
      this.channel.postMessage(word);
      this.hear(word);
    };
    return {
      event: (event) => tell({ type: "event", event }),
      state: (state) => tell({ type: "state", state }),
      fresh: () => tell({ type: "fresh" }),
      beat: () => tell({ type: "beat" }),
    };
  }

  private listen(word: Word): void {
    this.heard = Date.now();
    if (word.type !== "hello") this.hear(word);
    else if (this.leads) {
      this.channel.postMessage({ type: "state", state: this.latest } satisfies Word);
      this.channel.postMessage({ type: "fresh" } satisfies Word);
    }
  }

  private hear(word: Word): void {
    if (word.type === "event") {
      this.cursor = Math.max(this.cursor ?? 0, word.event.seq);
      this.hearer.event(word.event);
    } else if (word.type === "state") {
      this.latest = word.state;
      this.hearer.state(word.state);
    } else if (word.type === "fresh") this.hearer.fresh();
    else this.hearer.beat();
  }

  private watch(): void {
    if (this.leads || Date.now() - this.heard < LEADER_SILENT_AFTER) return;
    this.heard = Date.now();
    // A thief cannot wait in line, and must not: the one who holds the lock says nothing any more.
    this.queue({ steal: true });
  }
}
