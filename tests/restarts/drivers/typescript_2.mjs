// The official TypeScript SDK, second generation, with the handshake of the revisions that people use now.
import { config, drive, hears, load, says } from "./driving.mjs";

const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");

const client = new Client({ name: config.name, version: "1" }, { versionNegotiation: { mode: "legacy" } });
client.fallbackNotificationHandler = async (notification) => hears(notification);
client.onerror = (error) => says("noticed", { error: String(error).slice(0, 300) });
await client.connect(new StreamableHTTPClientTransport(new URL(config.url)));
await drive(client);
