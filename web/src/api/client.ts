import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "@/api/schema";

export type Schemas = components["schemas"];

/** An error response of the server: what is wrong, and what to do about it. */
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

type SignOutListener = () => void;
const signedOut = new Set<SignOutListener>();
let csrf = "";

/** Calls `listener` when the server says that this login has ended. */
export function onSignedOut(listener: SignOutListener): SignOutListener {
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
    if (response.status === 401) for (const listener of signedOut) listener();
  },
};

// Looked up for each request, so that a test can replace fetch.
export const client = createClient<paths>({
  baseUrl: typeof location === "undefined" ? "" : location.origin,
  fetch: (request) => globalThis.fetch(request),
});
client.use(guard);

type ApiResponse<T> = { data?: T; error?: unknown; response: Response };

/** The result of a request. Error responses are thrown as ApiError, and so is a server that cannot be reached. */
export async function unwrap<T>(calling: Promise<ApiResponse<T>>): Promise<T> {
  const { data, error, response } = await calling.catch((problem: unknown) => {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new ApiError(0, "UNREACHABLE", "The server cannot be reached.", "Try again when it is back.");
  });
  if (error !== undefined || !response.ok) throw apiErrorOf(response.status, error);
  return data as T;
}

export function apiErrorOf(status: number, body: unknown): ApiError {
  const reported = (body as Partial<Schemas["Error"]> | undefined)?.error;
  if (typeof reported?.error !== "string") {
    return new ApiError(status, "INTERNAL_ERROR", `The server answered ${status}, without words.`, "Try again.");
  }
  return new ApiError(status, reported.code, reported.error, undefined, reported.details);
}
