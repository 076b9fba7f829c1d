"""Converts tools as `mcp_server_tools` of AutoGen does. Prints what was wrong with each."""

import json
import sys

from autogen_ext.tools.mcp import StreamableHttpMcpToolAdapter, StreamableHttpServerParams
from mcp.types import Tool

server = StreamableHttpServerParams(url="http://127.0.0.1/mcp")
faults = {}
for wire in json.load(sys.stdin):
    try:
        assert StreamableHttpMcpToolAdapter(server, Tool.model_validate(wire)).schema["name"] == wire["name"]
    except Exception as error:  # noqa: BLE001 - it is what a user would see
        faults[wire["name"]] = repr(error)
print(json.dumps(faults))
