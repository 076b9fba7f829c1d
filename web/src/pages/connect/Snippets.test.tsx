import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Snippets } from "@/pages/connect/Snippets";

afterEach(cleanup);

function choose(client: string) {
  render(<Snippets access={{ url: "http://127.0.0.1:8765/mcp", token: null }} />);
  const tab = screen.getByRole("tab", { name: client });
  fireEvent.mouseDown(tab);
  fireEvent.focus(tab);
}

test.each([
  ["Cursor", "Add to Cursor", "cursor:"],
  ["VS Code", "Add to VS Code", "vscode:"],
])("%s has a link for each way that opens it", (client, label, scheme) => {
  choose(client);

  const links = screen.getAllByRole("link", { name: label });

  expect(links).toHaveLength(2);
  for (const link of links) expect(link.getAttribute("href")).toContain(scheme);
});

test("a program without such links has none", () => {
  choose("Codex");

  expect(screen.queryByRole("link", { name: /^Add to/ })).toBeNull();
});
