import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newQueryClient } from "@/api/queries";
import { Paused } from "@/pages/table/Paused";

const requests: string[] = [];
let open: { id: string; reasons: string[]; question_ids: string[] }[];
let refusal: string | undefined;

beforeEach(() => {
  requests.length = 0;
  refusal = undefined;
  open = [{ id: "c2", reasons: ["agent_requested"], question_ids: [] }];
  vi.stubGlobal("fetch", async (request: Request) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`);
    if (request.method === "GET") return Response.json({ ok: true, checkpoints: open, count: open.length });
    if (refusal) {
      return Response.json(
        { ok: false, error: { error: refusal, code: "SESSION_CLOSED", details: {} } },
        { status: 409 },
      );
    }
    open = [];
    return Response.json({ ok: true, checkpoint: {} });
  });
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show() {
  render(
    <QueryClientProvider client={newQueryClient()}>
      <Paused id="s1" />
    </QueryClientProvider>,
  );
}

const button = () => screen.findByRole("button", { name: "Resume the work" });

test("a pause that waits for nothing else is resumed by a button, and is gone then", async () => {
  show();
  expect(await screen.findByText("The work has paused for people: an agent asked for it.")).toBeTruthy();

  fireEvent.click(await button());

  await waitFor(() => expect(screen.queryByText(/has paused/)).toBeNull());
  expect(requests).toContain("POST /sessions/s1/checkpoints/c2/resume");
});

test("a pause for questions has no button: the answers resume it", async () => {
  open = [{ id: "c1", reasons: ["blocking_question"], question_ids: ["q1"] }];

  show();

  await waitFor(() => expect(requests).toHaveLength(1));
  await new Promise((done) => setTimeout(done));
  expect(screen.queryByRole("button")).toBeNull();
});

test("a refusal is shown beside the button", async () => {
  refusal = "This session is closed.";
  show();

  fireEvent.click(await button());

  expect((await screen.findByRole("alert")).textContent).toContain("This session is closed.");
});
