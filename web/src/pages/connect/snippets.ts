import { cursorLink, type InstallLink, vscodeLink } from "@/pages/connect/installLinks";

/** What a client needs to know to come to this table. */
export interface Access {
  /** The address of streamable HTTP; null where the server does not offer it. */
  url: string | null;
  /** The token to insert; null where none is needed. */
  token: string | null;
}

export interface Snippet {
  /** Where it goes: a file, or the terminal. */
  place: string;
  language: "sh" | "json" | "toml" | "txt";
  text: string;
}

export interface Way {
  id: "http" | "stdio";
  snippets: Snippet[];
  note?: string;
  link?: InstallLink;
}

export interface Client {
  id: string;
  name: string;
  http?: (url: string, token: string | null) => Omit<Way, "id">;
  stdio: (token: string | null) => Omit<Way, "id">;
}

/** Shown in place of the token until one is created here. */
export const PLACEHOLDER = "YOUR_TOKEN";
const VARIABLE = "LONGTABLE_TOKEN";
const NAME = "longtable";

/** Bare if it is harmless; in double quotes where every shell reads them alike; else in those of sh. */
export function quoted(text: string): string {
  if (/^[\w./:@=,+-]+$/.test(text)) return text;
  return /^[^"$`\\!%]+$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A basic string of TOML: like one of JSON, but for one character more that must not stand bare. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

function json(place: string, value: unknown): Snippet {
  return { place, language: "json", text: JSON.stringify(value, null, 2) };
}

function terminal(...words: string[]): Snippet {
  return { place: "In a terminal", language: "sh", text: words.map(quoted).join(" ") };
}

function bearer(token: string): string {
  return `Authorization: Bearer ${token}`;
}

function headers(token: string | null) {
  return token === null ? {} : { headers: { Authorization: `Bearer ${token}` } };
}

/** The tools that an agent needs: the whole list costs its model twice as much. */
const TOOLS = ["--tools", "agent"];

/** Without a token a process sits where HTTP clients sit; with one the token says where. */
function process(token: string | null) {
  return token === null
    ? { command: NAME, args: ["--project", "default", ...TOOLS] }
    : { command: NAME, args: TOOLS, env: { [VARIABLE]: token } };
}

function exported(token: string): Snippet {
  const text = `export ${VARIABLE}=${quoted(token)}`;
  return { place: "In the profile of your shell, before it starts", language: "sh", text };
}

const claudeCode: Client = {
  id: "claude-code",
  name: "Claude Code",
  http: (url, token) => {
    const add = terminal(
      ...["claude", "mcp", "add", "--transport", "http", NAME, url],
      ...(token === null ? [] : ["--header", bearer(token)]),
    );
    const server = { type: "http", url, ...headers(token && `\${${VARIABLE}}`) };
    const shared = json(".mcp.json in the project, for everybody who checks it out", {
      mcpServers: { [NAME]: server },
    });
    const note = token === null ? {} : { note: `The file takes the token from each person's ${VARIABLE}.` };
    return { snippets: [add, shared], ...note };
  },
  stdio: (token) => {
    // Another option stands between --env and the name: --env takes every word up to the next option.
    const words = token === null ? [] : ["--env", `${VARIABLE}=${token}`, "--transport", "stdio"];
    const { command, args } = process(token);
    return { snippets: [terminal("claude", "mcp", "add", ...words, NAME, "--", command, ...args)] };
  },
};

const claudeDesktop: Client = {
  id: "claude-desktop",
  name: "Claude Desktop",
  stdio: (token) => ({
    snippets: [
      json("claude_desktop_config.json, which Settings, Developer, Edit config opens", {
        mcpServers: { [NAME]: process(token) },
      }),
    ],
    note: "From this file Claude Desktop starts processes only. Start it again after the change.",
  }),
};

/** In place of the token where it must not stand: the variable that holds it, as Cursor writes it. */
const CURSOR_VARIABLE = `\${env:${VARIABLE}}`;
const CURSOR_FILE = "~/.cursor/mcp.json, or .cursor/mcp.json in a project";

function cursorWay(server: (token: string | null) => object, token: string | null): Omit<Way, "id"> {
  return {
    snippets: [json(CURSOR_FILE, { mcpServers: { [NAME]: server(token) } })],
    link: cursorLink(NAME, server(token && CURSOR_VARIABLE)),
    ...(token !== null && { note: `The link holds no token: Cursor takes it from the variable ${VARIABLE}.` }),
  };
}

const cursor: Client = {
  id: "cursor",
  name: "Cursor",
  http: (url, token) => cursorWay((known) => ({ url, ...headers(known) }), token),
  stdio: (token) => cursorWay(process, token),
};

const ASKED = { type: "promptString", id: NAME, description: "Longtable token", password: true };
const VSCODE_FILE = ".vscode/mcp.json in the project; the key is servers";
const VSCODE_INPUT = `\${input:${NAME}}`;

function vscodeWay(server: object, asks: boolean): Omit<Way, "id"> {
  return {
    snippets: [json(VSCODE_FILE, { ...(asks && { inputs: [ASKED] }), servers: { [NAME]: server } })],
    link: vscodeLink(NAME, server, asks ? [ASKED] : []),
    ...(asks && { note: "VS Code asks for the token once and keeps it out of the file: paste it then." }),
  };
}

const vscode: Client = {
  id: "vscode",
  name: "VS Code",
  http: (url, token) => vscodeWay({ type: "http", url, ...headers(token && VSCODE_INPUT) }, token !== null),
  stdio: (token) => vscodeWay({ type: "stdio", ...process(token && VSCODE_INPUT) }, token !== null),
};

function toml(...lines: string[]): Snippet {
  return { place: "~/.codex/config.toml", language: "toml", text: [`[mcp_servers.${NAME}]`, ...lines].join("\n") };
}

const codex: Client = {
  id: "codex",
  name: "Codex",
  http: (url, token) => ({
    snippets: [
      toml(`url = ${tomlText(url)}`, ...(token === null ? [] : [`bearer_token_env_var = ${tomlText(VARIABLE)}`])),
      ...(token === null ? [] : [exported(token)]),
    ],
    ...(token !== null && { note: "Codex takes no token in the file, only the name of the variable that holds it." }),
  }),
  stdio: (token) => {
    const { command, args } = process(token);
    const list = args.map(tomlText).join(", ");
    const env = token === null ? [] : [`env = { ${VARIABLE} = ${tomlText(token)} }`];
    return { snippets: [toml(`command = ${tomlText(command)}`, `args = [${list}]`, ...env)] };
  },
};

const gemini: Client = {
  id: "gemini",
  name: "Gemini CLI",
  http: (url, token) => ({
    snippets: [
      json("~/.gemini/settings.json, or .gemini/settings.json in a project", {
        mcpServers: { [NAME]: { httpUrl: url, ...headers(token) } },
      }),
    ],
    note: "The key is httpUrl; url would mean the older SSE.",
  }),
  stdio: (token) => ({
    snippets: [
      json("~/.gemini/settings.json, or .gemini/settings.json in a project", {
        mcpServers: { [NAME]: process(token) },
      }),
    ],
  }),
};

const another: Client = {
  id: "another",
  name: "Another",
  http: (url, token) => ({
    snippets: [
      { place: "The address, for streamable HTTP", language: "txt", text: url },
      ...(token === null
        ? []
        : [{ place: "A header of every request", language: "txt" as const, text: bearer(token) }]),
    ],
  }),
  stdio: (token) => {
    const { command, args } = process(token);
    return {
      snippets: [
        { ...terminal(command, ...args), place: "The command that it starts" },
        ...(token === null ? [] : [{ ...exported(token), place: "In the environment of the process" }]),
      ],
    };
  },
};

export const CLIENTS: Client[] = [claudeCode, claudeDesktop, cursor, vscode, codex, gemini, another];

/** The ways of a client to this server, the better one first. */
export function waysOf(client: Client, { url, token }: Access): Way[] {
  const over = client.http && url !== null ? [{ id: "http" as const, ...client.http(url, token) }] : [];
  return [...over, { id: "stdio", ...client.stdio(token) }];
}
