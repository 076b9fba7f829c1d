/** What the generated methods share. */

import type { ClientConnection, Inbox } from "./connection.js";
import type { Json } from "./envelope.js";

/** Of every call. */
export interface CallOptions {
  /** Gives the call up: its promise is rejected with the signal's reason, and a wait ends at the server, too. */
  signal?: AbortSignal | undefined;
}

/** Of every call that changes something. */
export interface WriteOptions extends CallOptions {
  /** Repeats a call safely: the same key and arguments give the first result again. Without one, each call has its
   * own. */
  idempotency_key?: string | undefined;
}

/** `required` arguments are sent as they are, `options` unless they are undefined. */
export class ToolCalls {
  protected readonly connection: ClientConnection;

  constructor(connection: ClientConnection) {
    this.connection = connection;
  }

  /** What is new for this caller since the last result. */
  get inbox(): Inbox | undefined {
    return this.connection.inbox;
  }

  protected async read<R>(address: string, required: object, options: CallOptions): Promise<R> {
    const { signal, ...optional } = options;
    return (await this.connection.read(address, argumentsOf(required, optional), signal)) as R;
  }

  protected async write<R>(address: string, required: object, options: WriteOptions): Promise<R> {
    const { signal, idempotency_key, ...optional } = options;
    return (await this.connection.write(address, argumentsOf(required, optional), idempotency_key, signal)) as R;
  }

  protected async writeWithoutKey<R>(address: string, required: object, options: CallOptions): Promise<R> {
    const { signal, ...optional } = options;
    return (await this.connection.writeWithoutKey(address, argumentsOf(required, optional), signal)) as R;
  }
}

export class SessionCalls extends ToolCalls {
  #session: string | undefined;

  constructor(connection: ClientConnection, session: string | undefined) {
    super(connection);
    this.#session = session;
  }

  /** Of the session in which the methods act. */
  async sessionId(): Promise<string> {
    this.#session ??= (await this.read<{ session: { session_id: string } }>("get_session", {}, {})).session.session_id;
    return this.#session;
  }

  /** Names the session to a tool that otherwise acts for all of them. */
  protected async inScope(scope: "global" | "session" | undefined): Promise<{ session_id?: string }> {
    return scope === "session" ? { session_id: await this.sessionId() } : {};
  }
}

function argumentsOf(required: object, optional: object): Json {
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { ...required, ...Object.fromEntries(given) };
}
