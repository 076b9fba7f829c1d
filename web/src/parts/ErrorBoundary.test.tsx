import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ErrorBoundary } from "@/parts/ErrorBoundary";

afterEach(cleanup);

function Fails(): never {
  throw new Error("It broke.");
}

function shown(of: string, fails: boolean) {
  return (
    <ErrorBoundary of={of} instead={(error) => <p>Instead: {error.message}</p>}>
      {fails ? <Fails /> : <p>All is well</p>}
    </ErrorBoundary>
  );
}

test("a failure is shown in the place of what has failed, until something else is to be shown", () => {
  vi.spyOn(console, "error").mockImplementation(() => {});

  const { rerender } = render(shown("one", true));
  expect(screen.getByText("Instead: It broke.")).toBeTruthy();
  rerender(shown("one", false));
  expect(screen.getByText("Instead: It broke.")).toBeTruthy();
  rerender(shown("another", false));

  expect(screen.getByText("All is well")).toBeTruthy();
});
