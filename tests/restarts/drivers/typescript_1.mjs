// The official TypeScript SDK, first generation: over HTTP by itself, or by way of mcp-remote.
import { config, drive, hears, load, says } from "./driving.mjs";

const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");

async function transport() {
  if (!config.through) {
    const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
    return new StreamableHTTPClientTransport(new URL(config.url));
  }
  const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
  return new StdioClientTransport({ command: process.execPath, args: config.through, env: process.env });
}

const client = new Client({ name: config.name, version: "1" });
client.fallbackNotificationHandler = async (notification) => hears(notification);
client.onerror = (error) => says("noticed", { error: String(error).slice(0, 300) });
await client.connect(await transport());
await drive(client);
