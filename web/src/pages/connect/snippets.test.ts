import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { type Access, CLIENTS, quoted, type Snippet, waysOf } from "@/pages/connect/snippets";

const URL = "https://table.example.org/mcp?a=1&b='2'";
const TOKEN = `lt_"x" $HOME \`id\` 'y' \\`;
const open: Access = { url: "http://127.0.0.1:8765/mcp", token: null };

function snippets(id: string, way: "http" | "stdio", access: Access): Snippet[] {
  const client = CLIENTS.find((known) => known.id === id);
  return client ? (waysOf(client, access).find((known) => known.id === way)?.snippets ?? []) : [];
}

function first(id: string, way: "http" | "stdio", access: Access): string {
  return snippets(id, way, access)[0]?.text ?? "";
}

/** The words that a program called `name` would get if somebody pasted this into a shell. */
function wordsIn(command: string, name: string): string[] {
  const script = `${name}() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

test("without auth a command names this address and nothing secret", () => {
  expect(first("claude-code", "http", open)).toBe(
    "claude mcp add --transport http longtable http://127.0.0.1:8765/mcp",
  );
  expect(first("claude-code", "stdio", open)).toBe(
    "claude mcp add longtable -- longtable --project default --tools agent",
  );
});

test("a shell reads back an odd address and an odd token as they are", () => {
  const command = first("claude-code", "http", { url: URL, token: TOKEN });

  expect(wordsIn(command, "claude")).toEqual([
    "mcp",
    "add",
    "--transport",
    "http",
    "longtable",
    URL,
    "--header",
    `Authorization: Bearer ${TOKEN}`,
  ]);
});

test("the token of a process is in its environment, never among its arguments", () => {
  const words = wordsIn(first("claude-code", "stdio", { url: URL, token: TOKEN }), "claude");

  expect(words).toEqual([
    "mcp",
    "add",
    "--env",
    `LONGTABLE_TOKEN=${TOKEN}`,
    "--transport",
    "stdio",
    "longtable",
    "--",
    "longtable",
    "--tools",
    "agent",
  ]);
});

test.each(["claude-code", "claude-desktop", "cursor", "vscode", "gemini"])("every JSON for %s is JSON", (id) => {
  for (const access of [open, { url: URL, token: TOKEN }, { url: null, token: TOKEN }]) {
    const all = [...snippets(id, "http", access), ...snippets(id, "stdio", access)];
    for (const { text } of all.filter(({ language }) => language === "json")) {
      expect(() => JSON.parse(text)).not.toThrow();
    }
  }
});

test("Cursor gets the address and the header", () => {
  expect(JSON.parse(first("cursor", "http", { url: URL, token: TOKEN }))).toEqual({
    mcpServers: { longtable: { url: URL, headers: { Authorization: `Bearer ${TOKEN}` } } },
  });
});

test("Gemini CLI gets the address as httpUrl", () => {
  expect(JSON.parse(first("gemini", "http", open))).toEqual({ mcpServers: { longtable: { httpUrl: open.url } } });
});

test("VS Code asks for the token, and a file of the project holds none", () => {
  const file = first("vscode", "http", { url: URL, token: TOKEN });

  expect(file).not.toContain("lt_");
  expect(JSON.parse(file)).toMatchObject({
    inputs: [{ id: "longtable", password: true }],
    servers: { longtable: { type: "http", url: URL, headers: { Authorization: `Bearer \${input:longtable}` } } },
  });
});

test("the shared file of Claude Code holds no token either", () => {
  const shared = snippets("claude-code", "http", { url: URL, token: TOKEN })[1]?.text ?? "";

  expect(JSON.parse(shared).mcpServers.longtable.headers).toEqual({ Authorization: `Bearer \${LONGTABLE_TOKEN}` });
});

test("the strings of the TOML for Codex say what they should", () => {
  const [file, profile] = snippets("codex", "http", { url: URL, token: TOKEN });
  const [head, ...lines] = (file?.text ?? "").split("\n");
  const found = Object.fromEntries(
    lines.map((line) => line.split(" = ")).map(([key, value]) => [key, JSON.parse(value ?? "")]),
  );

  expect(head).toBe("[mcp_servers.longtable]");
  expect(found).toEqual({ url: URL, bearer_token_env_var: "LONGTABLE_TOKEN" });
  expect(execFileSync("sh", ["-c", `${profile?.text}\nprintf %s "$LONGTABLE_TOKEN"`], { encoding: "utf8" })).toBe(
    TOKEN,
  );
});

test("a process of Codex has its token in its environment", () => {
  expect(first("codex", "stdio", { url: null, token: "lt_1" })).toBe(
    '[mcp_servers.longtable]\ncommand = "longtable"\nargs = ["--tools", "agent"]\nenv = { LONGTABLE_TOKEN = "lt_1" }',
  );
  expect(first("codex", "stdio", open)).toBe(
    '[mcp_servers.longtable]\ncommand = "longtable"\nargs = ["--project", "default", "--tools", "agent"]',
  );
});

test("a client that starts only processes has one way, and so has every client of a server without HTTP", () => {
  const ways = (access: Access) =>
    CLIENTS.map((client) =>
      waysOf(client, access)
        .map((way) => way.id)
        .join(" "),
    );

  expect(ways(open)[1]).toBe("stdio");
  expect(new Set(ways({ url: null, token: null }))).toEqual(new Set(["stdio"]));
});

test.each([
  ["http://127.0.0.1:8765/mcp", "http://127.0.0.1:8765/mcp"],
  ["Authorization: Bearer lt_x-y", '"Authorization: Bearer lt_x-y"'],
  ["a$b", "'a$b'"],
  ["it's $5", "'it'\\''s $5'"],
  ["", "''"],
])("%s is quoted as %s", (text, shown) => {
  expect(quoted(text)).toBe(shown);
});
