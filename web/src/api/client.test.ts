import { afterEach, describe, expect, test, vi } from "vitest";
import { ApiError, apiErrorOf, client, csrfToken, onSignedOut, rememberCsrf, unwrap } from "@/api/client";

function answering(body: unknown, status = 200) {
  const requests: Request[] = [];
  vi.stubGlobal("fetch", (request: Request) => {
    requests.push(request);
    return Promise.resolve(Response.json(body, { status }));
  });
  return requests;
}

const refusal = (code: string, error: string, details = {}) => ({ ok: false, error: { error, code, details } });

const problemOf = (calling: Promise<unknown>) => calling.then(() => undefined).catch((problem: unknown) => problem);

afterEach(() => {
  vi.unstubAllGlobals();
  rememberCsrf(null);
});

describe("a call", () => {
  test("that reads carries no CSRF token", async () => {
    rememberCsrf("secret");
    const requests = answering({ ok: true });

    await unwrap(client.GET("/me"));

    expect(requests[0]?.headers.get("X-CSRF-Token")).toBeNull();
    expect(requests[0]?.headers.get("Accept")).toBe("application/json");
  });

  test("that changes something carries it", async () => {
    rememberCsrf("secret");
    const requests = answering({ ok: true });

    await unwrap(client.POST("/sessions", { body: { purpose: "a table" } }));

    expect(requests[0]?.headers.get("X-CSRF-Token")).toBe("secret");
    expect(await requests[0]?.json()).toEqual({ purpose: "a table" });
  });

  test("gives what the server answers", async () => {
    answering({ ok: true, sessions: [], count: 0, next_cursor: null });

    expect(await unwrap(client.GET("/overview"))).toMatchObject({ count: 0 });
  });

  test("writes what it is given into the path so that it stays one part of it", async () => {
    const requests = answering({ ok: true });

    await unwrap(client.GET("/sessions/{session_id}", { params: { path: { session_id: "a/b?c" } } }));

    expect(requests[0]?.url).toBe(`${location.origin}/sessions/a%2Fb%3Fc`);
  });
});

describe("a refusal", () => {
  test("is thrown in the words of the server", async () => {
    answering(refusal("CONFLICT", "It is denied already.", { status: "denied" }), 409);

    const problem = await problemOf(unwrap(client.GET("/overview")));

    expect(problem).toBeInstanceOf(ApiError);
    expect(problem).toMatchObject({
      status: 409,
      code: "CONFLICT",
      message: "It is denied already.",
      details: { status: "denied" },
    });
  });

  test.each([undefined, null, "<html>Bad gateway</html>", {}, { error: "text" }])(
    "without words of ours (%j) still says what to do",
    (body) => {
      expect(apiErrorOf(502, body)).toMatchObject({ status: 502, code: "INTERNAL_ERROR", hint: "Try again." });
    },
  );

  test("for the login calls every listener, until it unsubscribes", async () => {
    answering(refusal("UNAUTHORIZED", "Sign in."), 401);
    const listener = vi.fn();
    const stop = onSignedOut(listener);

    await problemOf(unwrap(client.GET("/me")));
    stop();
    await problemOf(unwrap(client.GET("/me")));

    expect(listener).toHaveBeenCalledTimes(1);
  });
});

describe("a server that is away", () => {
  test("is a refusal too", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));

    expect(await problemOf(unwrap(client.GET("/me")))).toMatchObject({ status: 0, code: "UNREACHABLE" });
  });

  test("is not assumed when the page itself called the request off", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new DOMException("aborted", "AbortError")));

    expect(await problemOf(unwrap(client.GET("/me")))).toMatchObject({ name: "AbortError" });
  });
});

test("the CSRF token is forgotten with the login", () => {
  rememberCsrf("secret");

  rememberCsrf(undefined);

  expect(csrfToken()).toBe("");
});
