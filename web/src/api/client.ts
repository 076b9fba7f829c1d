import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "@/api/schema";

export type Schemas = components["schemas"];

/** A refusal of the server in its own words: what is wrong, and what to do about it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint?: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
    this.name = "ApiError";
  }
}

type Listener = () => void;
const signedOut = new Set<Listener>();
let csrf = "";

/** Calls `listener` when the server says that this login does not count any more. */
export function onSignedOut(listener: Listener): Listener {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

export function rememberCsrf(token: string | null | undefined): void {
  csrf = token ?? "";
}

export function csrfToken(): string {
  return csrf;
}

const guard: Middleware = {
  onRequest({ request }) {
    request.headers.set("Accept", "application/json");
    if (request.method !== "GET") request.headers.set("X-CSRF-Token", csrf);
    return request;
  },
  onResponse({ response }) {
    if (response.status === 401) for (const tell of signedOut) tell();
  },
};

// Late, so that whoever replaces fetch (a test) is heard.
export const client = createClient<paths>({
  baseUrl: typeof location === "undefined" ? "" : location.origin,
  fetch: (request) => globalThis.fetch(request),
});
client.use(guard);

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The answer of a call, or its refusal thrown as ApiError. A server that is away is one too. */
export async function unwrap<T>(calling: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await calling.catch((problem: unknown) => {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new ApiError(0, "UNREACHABLE", "The server cannot be reached.", "Try again when it is back.");
  });
  if (error !== undefined || !response.ok) throw refusalOf(response.status, error);
  return data as T;
}

export function refusalOf(status: number, body: unknown): ApiError {
  const told = (body as Partial<Schemas["Error"]> | undefined)?.error;
  if (typeof told?.error !== "string") {
    return new ApiError(status, "INTERNAL_ERROR", `The server answered ${status}, without words.`, "Try again.");
  }
  return new ApiError(status, told.code, told.error, undefined, told.details);
}
