import { expect, test } from "vitest";
import { type Access, CLIENTS, PLACEHOLDER, waysOf } from "@/pages/connect/snippets";

const SECRET = "lt_secret";
const ODD = "https://table.example.org/mcp?a=1&b='ü'+/";

function hrefOf(id: string, way: "http" | "stdio", access: Access): string {
  const client = CLIENTS.find((known) => known.id === id);
  return (client && waysOf(client, access).find((known) => known.id === way)?.link?.href) ?? "";
}

/** As Cursor reads it. */
function cursorConfig(href: string): unknown {
  const config = new URL(href).searchParams.get("config") ?? "";
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(config), (sign) => sign.charCodeAt(0))));
}

/** As VS Code reads it. */
function vscodeConfig(href: string): unknown {
  return JSON.parse(decodeURIComponent(href.slice("vscode:mcp/install?".length)));
}

test("a link for Cursor holds the entry that its file would have", () => {
  const href = hrefOf("cursor", "http", { url: ODD, token: null });

  expect(href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=longtable&config=[\w%]+$/);
  expect(cursorConfig(href)).toEqual({ url: ODD });
  expect(cursorConfig(hrefOf("cursor", "stdio", { url: null, token: null }))).toEqual({
    command: "longtable",
    args: ["--project", "default", "--tools", "agent"],
  });
});

test("a link for VS Code holds the name and the entry", () => {
  expect(vscodeConfig(hrefOf("vscode", "http", { url: ODD, token: null }))).toEqual({
    name: "longtable",
    type: "http",
    url: ODD,
  });
});

test.each(["cursor", "vscode"])("no link of %s holds a token", (id) => {
  for (const way of ["http", "stdio"] as const) {
    const href = hrefOf(id, way, { url: ODD, token: SECRET });
    const config = JSON.stringify(id === "cursor" ? cursorConfig(href) : vscodeConfig(href));

    expect(config).not.toContain(SECRET);
    expect(config).toMatch(id === "cursor" ? /\$\{env:LONGTABLE_TOKEN\}/ : /\$\{input:longtable\}/);
    expect(href).toBe(hrefOf(id, way, { url: ODD, token: PLACEHOLDER }));
  }
});

test("VS Code is told what to ask for", () => {
  expect(vscodeConfig(hrefOf("vscode", "http", { url: ODD, token: SECRET }))).toMatchObject({
    inputs: [{ id: "longtable", password: true }],
  });
});
