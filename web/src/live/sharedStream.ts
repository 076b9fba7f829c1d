import type { LiveEvent } from "@/live/event";
import { EventStream, type StreamListener, type StreamState } from "@/live/stream";

/** A browser opens at most six connections to a server, over all its tabs. So one tab, the leader, reads the stream and
 * broadcasts it to the others. The leader is the tab that holds this lock. */
const NAME = "longtable-events";
const LEADER_TIMEOUT = 40_000;
const LEADER_CHECK_INTERVAL = 5_000;

type TabMessage =
  | { type: "event"; event: LiveEvent }
  | { type: "state"; state: StreamState }
  | { type: "stale" }
  | { type: "heartbeat" }
  | { type: "joined" };

/** Listens until the returned function is called. */
export function openSharedStream(listener: StreamListener): () => void {
  const end = new AbortController();
  if (!("locks" in navigator) || typeof BroadcastChannel === "undefined") {
    void new EventStream(listener).run(end.signal);
    return () => end.abort();
  }
  new SharedStream(listener, end.signal).join();
  return () => end.abort();
}

/** One tab's part in the leader election. */
class SharedStream {
  private readonly channel = new BroadcastChannel(NAME);
  private cursor: number | null = null;
  private isLeader = false;
  private leadership = new AbortController();
  private state: StreamState = "connecting";
  private lastMessageAt = Date.now();

  constructor(
    private readonly listener: StreamListener,
    private readonly signal: AbortSignal,
  ) {
    this.channel.onmessage = (message: MessageEvent<TabMessage>) => this.receive(message.data);
    const timer = setInterval(() => this.replaceSilentLeader(), LEADER_CHECK_INTERVAL);
    signal.addEventListener("abort", () => {
      clearInterval(timer);
      this.channel.close();
    });
  }

  join(): void {
    this.requestLeadership({ signal: this.signal });
    this.channel.postMessage({ type: "joined" } satisfies TabMessage);
  }

  private requestLeadership(options: LockOptions): void {
    navigator.locks.request(NAME, options, () => this.lead()).catch(() => this.loseLeadership());
  }

  private async lead(): Promise<void> {
    this.isLeader = true;
    this.leadership = new AbortController();
    const signal = AbortSignal.any([this.signal, this.leadership.signal]);
    await new EventStream(this.broadcaster(), this.cursor).run(signal);
  }

  /** Another tab found this one silent and took the lock: go on as a follower. */
  private loseLeadership(): void {
    this.isLeader = false;
    this.leadership.abort();
    if (!this.signal.aborted) this.requestLeadership({ signal: this.signal });
  }

  private broadcaster(): StreamListener {
    const broadcast = (message: TabMessage) => {
      if (!this.isLeader || this.signal.aborted) return;
      this.channel.postMessage(message);
      this.deliver(message);
    };
    return {
      onEvent: (event) => broadcast({ type: "event", event }),
      onState: (state) => broadcast({ type: "state", state }),
      onStale: () => broadcast({ type: "stale" }),
      onHeartbeat: () => broadcast({ type: "heartbeat" }),
    };
  }

  private receive(message: TabMessage): void {
    this.lastMessageAt = Date.now();
    if (message.type !== "joined") this.deliver(message);
    else if (this.isLeader) {
      this.channel.postMessage({ type: "state", state: this.state } satisfies TabMessage);
      this.channel.postMessage({ type: "stale" } satisfies TabMessage);
    }
  }

  private deliver(message: TabMessage): void {
    if (message.type === "event") {
      this.cursor = Math.max(this.cursor ?? 0, message.event.seq);
      this.listener.onEvent(message.event);
    } else if (message.type === "state") {
      this.state = message.state;
      this.listener.onState(message.state);
    } else if (message.type === "stale") this.listener.onStale();
    else this.listener.onHeartbeat();
  }

  private replaceSilentLeader(): void {
    if (this.isLeader || Date.now() - this.lastMessageAt < LEADER_TIMEOUT) return;
    this.lastMessageAt = Date.now();
    // A request that steals the lock may not carry a signal, and must not wait: the holder does not respond.
    this.requestLeadership({ steal: true });
  }
}
