"""The table inside a chat: one read-only page for hosts that show MCP Apps."""
