"""Converts tools as the OpenAI Agents SDK does with `convert_schemas_to_strict`. Prints what was wrong with each."""

import json
import sys

from agents import Agent
from agents.mcp import MCPServerStreamableHttp, MCPUtil
from mcp.types import Tool

server = MCPServerStreamableHttp(params={"url": "http://127.0.0.1/mcp"})
agent = Agent(name="somebody")
faults = {}
for wire in json.load(sys.stdin):
    made = MCPUtil.to_function_tool(Tool.model_validate(wire), server, True, agent)
    if not made.strict_json_schema:
        faults[made.name] = "falls back to a schema that is not strict"
print(json.dumps(faults))
