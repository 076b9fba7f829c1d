"""Connections of MCP clients over streamable HTTP: signed ids, and a row for what there is to remember."""
