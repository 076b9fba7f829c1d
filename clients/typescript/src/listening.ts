/** Follows an event stream across lost connections: each event once, none left out. */

import { type ClientConnection, isPassing, parsed, TransportError } from "./connection.js";
import { checkEnvelope, isObject, type Json } from "./envelope.js";
import { type Frame, FrameReader } from "./frames.js";
import type { EventKind } from "./generated/types.js";
import { ConnectionLost } from "./longtableError.js";

export const TENANT_EVENTS = "/events";
const SESSION_ENDS = ["session/closed", "session/expired"];
const COMMON = ["seq", "kind", "session_id", "actor", "timestamp"];
const NO_CONTENT = 204;
// Three heartbeats: a connection that is silent for longer is dead.
const SILENCE_MS = 45_000;

/** `payload` holds the fields of this kind. `seq` is the cursor to continue from. */
export interface TableEvent {
  seq: number;
  /** One that only a newer server knows is a text, too. */
  kind: EventKind | (string & {});
  session_id: string | null;
  actor: string;
  timestamp: string;
  payload: Record<string, unknown>;
}

export interface ListenOptions {
  /** Events after this number; without it, from now on. */
  after?: number | undefined;
  /** These only: whole kinds, or beginnings that end with "*". */
  kinds?: readonly string[] | undefined;
  /** Called for each connection that broke, before the next one. */
  onLost?: ((lost: ConnectionLost) => void) | undefined;
  /** Ends the listening with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export class Listener {
  readonly #connection: ClientConnection;
  readonly #path: string;
  readonly #options: ListenOptions;
  #cursor: number | undefined;
  #failures = 0;
  #over = false;

  constructor(connection: ClientConnection, path: string, options: ListenOptions) {
    this.#connection = connection;
    this.#path = path;
    this.#options = options;
    this.#cursor = options.after;
  }

  /** Ends with the session. Throws what the server refuses, and ConnectionLost when it cannot be reached. */
  async *events(): AsyncGenerator<TableEvent, void> {
    while (!this.#over) {
      let problem: Error | undefined;
      try {
        yield* this.#stream();
      } catch (error) {
        if (!isPassing(error)) {
          throw error;
        }
        problem = error;
      }
      if (!this.#over) {
        await this.#reconnect(problem);
      }
    }
  }

  /** A stream that the server itself ended, or on which it left out what came too fast, is no failure: the next one
   * begins at our cursor, with what is in the log. */
  async #reconnect(problem: Error | undefined): Promise<void> {
    this.#failures += 1;
    if (problem) {
      const lost = new ConnectionLost(problem);
      if (this.#failures > this.#connection.link.reconnects) {
        throw lost;
      }
      this.#options.onLost?.(lost);
    }
    await this.#connection.pause(this.#failures, 0, this.#options.signal);
  }

  async *#stream(): AsyncGenerator<TableEvent, void> {
    const { kinds, signal } = this.#options;
    const path = this.#path + (kinds?.length ? `?${new URLSearchParams({ kinds: kinds.join(",") })}` : "");
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (this.#cursor !== undefined) {
      headers["Last-Event-ID"] = String(this.#cursor);
    }
    const response = await this.#connection.open({ method: "GET", path, headers }, SILENCE_MS, signal);
    try {
      if (response.status === NO_CONTENT) {
        this.#over = true;
      } else if (response.status >= 400) {
        refused(response.status, await response.text());
      } else {
        yield* this.#read(response.pieces());
      }
    } finally {
      response.close();
    }
  }

  async *#read(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<TableEvent, void> {
    const reader = new FrameReader();
    for await (const piece of pieces) {
      for (const frame of reader.read(piece)) {
        this.#failures = 0;
        if (frame.event === "lagged" || frame.event === "end") {
          this.#over = objectIn(frame).reason === "session_over";
          return;
        }
        const event = this.#eventOf(frame);
        if (event) {
          yield event;
        }
        if (this.#over) {
          return;
        }
      }
    }
  }

  /** The event in it, unless it carries only the cursor or was seen before. */
  #eventOf(frame: Frame): TableEvent | undefined {
    if (!frame.data) {
      this.#cursor ??= frame.id ? Number(frame.id) : undefined;
      return undefined;
    }
    const event = eventOf(objectIn(frame));
    if (this.#cursor !== undefined && event.seq <= this.#cursor) {
      return undefined;
    }
    this.#cursor = event.seq;
    this.#over = SESSION_ENDS.includes(event.kind) && this.#path !== TENANT_EVENTS;
    return event;
  }
}

function objectIn(frame: Frame): Json {
  const value = parsed(frame.data);
  return isObject(value) ? value : {};
}

function eventOf(flat: Json): TableEvent {
  const payload = Object.fromEntries(Object.entries(flat).filter(([name]) => !COMMON.includes(name)));
  const { seq, kind, session_id, actor, timestamp } = flat as unknown as TableEvent;
  return { seq, kind, session_id, actor, timestamp, payload };
}

function refused(status: number, text: string): void {
  const body = parsed(text);
  if (!isObject(body)) {
    throw new TransportError(`something on the way answered with ${status}`);
  }
  checkEnvelope(body);
}
