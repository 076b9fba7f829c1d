/** Requests to a server as one caller. A request that was lost is sent again, with a key that makes this safe. */

import { checkEnvelope, checkMessage, isObject, type Json } from "./envelope.js";
import {
  OutcomeUnknown,
  Overloaded,
  RateLimited,
  ShuttingDown,
  StoreUnavailable,
  UpstreamError,
} from "./generated/errors.js";
import { VERSION } from "./generated/version.js";
import { ConnectionLost, LongtableError } from "./longtableError.js";

// Every server speaks MCP here, whatever other path it is configured for.
const MCP = "/http";
const REVISION = "2026-07-28";
const META = "io.modelcontextprotocol";
const GATEWAY_TROUBLE = [502, 503, 504];
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const NOT_IN_HEADERS = /[\x00-\x08\x0a-\x1f\x7f]/;
// Longer than the longest wait that a tool offers.
const SILENCE_MS = 75_000;

/** How to reach a server. Waits double from `firstWaitMs` to `longestWaitMs`; where the server says how long to wait, it is
 * that. */
export interface Link {
  /** How often a request is sent before it counts as lost: 8. */
  attempts?: number;
  /** How often in a row a listener reconnects: 60. */
  reconnects?: number;
  /** 100 */
  firstWaitMs?: number;
  /** 5,000 */
  longestWaitMs?: number;
  /** In the place of the platform's. */
  fetch?: typeof fetch;
}

/** Who sends the requests. */
export interface Caller {
  token?: string | undefined;
  session?: string | undefined;
  agent?: string | undefined;
  agentType?: string | undefined;
}

/** What is new for a caller since its last result. */
export interface Inbox {
  messages?: number;
  answers?: number;
  events_after?: number;
}

/** A connection that broke, or an answer that did not come from the server. */
export class TransportError extends Error {}

/** What may be over at the next attempt. After each of them the same request with the same key is safe. */
const TROUBLE = [TransportError, ShuttingDown, StoreUnavailable, Overloaded, OutcomeUnknown, RateLimited];

export function isPassing(problem: unknown): problem is TransportError | LongtableError {
  return TROUBLE.some((kind) => problem instanceof kind);
}

interface RequestToSend {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export class ClientConnection {
  readonly link: Required<Omit<Link, "fetch">>;
  inbox: Inbox | undefined;
  readonly #address: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof fetch;
  #requests = 0;

  /** `url` is the address of the server or of its MCP endpoint. */
  constructor(url: string, caller: Caller, link: Link = {}) {
    this.#address = new URL(url).href.replace(/\/+$/, "").replace(/\/mcp$/, "");
    this.#headers = headersOf(caller);
    this.#fetch = link.fetch ?? ((input, init) => fetch(input, init));
    this.link = { attempts: 8, reconnects: 60, firstWaitMs: 100, longestWaitMs: 5_000, ...link };
  }

  /** `address` is the name of a tool, or method and path of a REST route such as "GET /sessions/{session_id}". */
  read(address: string, given: Json, signal?: AbortSignal): Promise<Json> {
    return this.#persist(() => this.#send(address, given, undefined, signal), this.link.attempts, undefined, signal);
  }

  /** Has its effect once, however often it has to be sent. */
  write(address: string, given: Json, key: string = randomHex(16), signal?: AbortSignal): Promise<Json> {
    return this.#persist(() => this.#send(address, given, key, signal), this.link.attempts, key, signal);
  }

  /** Never sent again, as it could have its effect twice. */
  writeWithoutKey(address: string, given: Json, signal?: AbortSignal): Promise<Json> {
    return this.#persist(() => this.#send(address, given, undefined, signal), 1, undefined, signal);
  }

  /** The response once its head is there. Its head and its body fail with a TransportError after `silenceMs` in which
   * nothing came. */
  async open(request: RequestToSend, silenceMs: number, signal?: AbortSignal): Promise<OpenResponse> {
    const silence = new Silence(silenceMs, signal);
    try {
      const { method, body } = request;
      const headers = { ...this.#headers, ...request.headers };
      // Without the cookies of a browser: the headers say who calls, not the person who is signed in.
      const init: RequestInit = { method, headers, signal: silence.signal, credentials: "omit", redirect: "manual" };
      const response = await this.#fetch(this.#address + request.path, body === undefined ? init : { ...init, body });
      silence.restart();
      return new OpenResponse(response, silence);
    } catch (problem) {
      silence.end();
      throw transportError(problem, signal);
    }
  }

  /** Waits before the next attempt, longer with each failure, and at least as long as the server asks for. */
  async pause(failures: number, asked: number, signal?: AbortSignal): Promise<void> {
    const { firstWaitMs, longestWaitMs } = this.link;
    const wait = Math.max(asked, Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - 1, 30)));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, wait);
      function done(): void {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
      signal?.addEventListener("abort", done);
    });
    signal?.throwIfAborted();
  }

  async #persist(
    send: () => Promise<Json>,
    attempts: number,
    key: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Json> {
    for (let failures = 1; ; failures++) {
      try {
        return this.#withoutEnvelope(await send());
      } catch (problem) {
        if (!isPassing(problem)) {
          throw problem;
        }
        const asked = waitAsked(problem);
        if (failures >= attempts || asked > this.link.longestWaitMs) {
          throw problem instanceof LongtableError ? problem : new ConnectionLost(problem, key);
        }
        await this.pause(failures, asked, signal);
      }
    }
  }

  #withoutEnvelope({ ok: _ok, success: _success, inbox, ...result }: Json): Json {
    this.inbox = isObject(inbox) ? (inbox as Inbox) : undefined;
    return result;
  }

  async #send(address: string, given: Json, key: string | undefined, signal: AbortSignal | undefined): Promise<Json> {
    const overRest = address.includes(" ");
    const request = overRest ? restRequest(address, given, key) : this.#toolCall(address, given, key);
    const response = await this.open(request, SILENCE_MS, signal);
    const message = decoded(response.status, await response.text());
    return overRest ? checkEnvelope(message) : checkMessage(message);
  }

  #toolCall(tool: string, given: Json, key: string | undefined): RequestToSend {
    this.#requests += 1;
    const _meta = {
      [`${META}/protocolVersion`]: REVISION,
      [`${META}/clientCapabilities`]: {},
      [`${META}/clientInfo`]: { name: "longtable-client", version: VERSION },
    };
    const params = { name: tool, arguments: key === undefined ? given : { ...given, idempotency_key: key }, _meta };
    return {
      method: "POST",
      path: MCP,
      headers: {
        Accept: "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: this.#requests, method: "tools/call", params }),
    };
  }
}

/** A response whose body is still to be read. */
export class OpenResponse {
  readonly status: number;
  readonly #response: Response;
  readonly #silence: Silence;

  constructor(response: Response, silence: Silence) {
    this.status = response.status;
    this.#response = response;
    this.#silence = silence;
  }

  async text(): Promise<string> {
    try {
      return await this.#response.text();
    } catch (problem) {
      throw transportError(problem, this.#silence.given);
    } finally {
      this.#silence.end();
    }
  }

  /** The body, piece by piece as it comes. */
  async *pieces(): AsyncGenerator<Uint8Array, void> {
    const reader = this.#response.body?.getReader();
    try {
      while (reader) {
        const { done, value } = await reader.read();
        if (done) {
          return;
        }
        this.#silence.restart();
        yield value;
      }
    } catch (problem) {
      throw transportError(problem, this.#silence.given);
    } finally {
      this.close();
    }
  }

  /** Frees the connection; the server learns that nobody reads any more. */
  close(): void {
    this.#silence.end();
    this.#silence.abort();
  }
}

/** Aborts with the signal that was given, or when nothing was heard for a time. */
class Silence {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly milliseconds: number,
    readonly given: AbortSignal | undefined,
  ) {
    const own = this.#controller.signal;
    this.signal = given ? AbortSignal.any([own, given]) : own;
    this.restart();
  }

  restart(): void {
    this.end();
    const problem = new TransportError(`nothing was heard for ${this.milliseconds / 1000} s`);
    this.#timer = setTimeout(() => this.#controller.abort(problem), this.milliseconds);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  abort(): void {
    this.#controller.abort();
  }
}

/** Where the caller itself has given up, its own reason. */
function transportError(problem: unknown, given: AbortSignal | undefined): unknown {
  if (given?.aborted) {
    return given.reason;
  }
  if (problem instanceof TransportError || !(problem instanceof Error)) {
    return problem;
  }
  const cause = problem.cause instanceof Error ? `: ${problem.cause.message}` : "";
  return new TransportError(problem.message + cause, { cause: problem });
}

/** In milliseconds. */
function waitAsked(problem: Error): number {
  const seconds = problem instanceof LongtableError ? problem.details.retry_after : 0;
  return typeof seconds === "number" ? seconds * 1000 : 0;
}

function decoded(status: number, text: string): Json {
  const message = parsed(text);
  if (isObject(message)) {
    return message;
  }
  if (GATEWAY_TROUBLE.includes(status)) {
    throw new TransportError(`something on the way answered with ${status}`);
  }
  throw new UpstreamError(`What answers at this address with ${status} is no Longtable server.`, { status });
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function restRequest(route: string, given: Json, key: string | undefined): RequestToSend {
  const [method = "", template = ""] = route.split(" ");
  const rest = new Map(Object.entries(given));
  const path = template.replace(/{(\w+)}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const headers: Record<string, string> = key === undefined ? {} : { "Idempotency-Key": key };
  if (method === "GET" || method === "DELETE") {
    return { method, path: path + queryOf(rest), headers };
  }
  headers["Content-Type"] = "application/json";
  return { method, path, headers, body: JSON.stringify(Object.fromEntries(rest)) };
}

/** A list as a repeated name. */
function queryOf(given: Map<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of given) {
    for (const item of Array.isArray(value) ? value : [value]) {
      query.append(name, String(item));
    }
  }
  return query.size ? `?${query}` : "";
}

function headersOf(caller: Caller): Record<string, string> {
  const fields = {
    Authorization: caller.token && `Bearer ${caller.token}`,
    "X-Session-ID": caller.session,
    "X-Caller-Agent": caller.agent,
    "X-Agent-Type": caller.agentType,
  };
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  const broken = given.find(([_name, value]) => NOT_IN_HEADERS.test(value));
  if (broken) {
    // Without the value: it may be a secret.
    throw new TypeError(`${broken[0]}: must not contain line breaks or other control characters.`);
  }
  return Object.fromEntries(given.map(([name, value]) => [name, asBytes(value)]));
}

/** A header is made of bytes: names in any alphabet go as UTF-8. */
function asBytes(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

export function randomHex(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
