"""Configures MCP clients on this machine to use Longtable, without disturbing what else their files say."""
