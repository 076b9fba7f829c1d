"""Converts tools to Gemini's function declarations, as Google's SDK does. Prints what was wrong with each."""

import json
import sys

from google.genai import _mcp_utils, types
from mcp.types import Tool

faults = {}
for wire in json.load(sys.stdin):
    try:
        (declaration,) = _mcp_utils.mcp_to_gemini_tool(Tool.model_validate(wire)).function_declarations
        assert declaration.name == wire["name"]
        whole = types.JSONSchema.model_validate(wire["inputSchema"])
        types.Schema.from_json_schema(json_schema=whole, raise_error_on_unsupported_field=True)
    except Exception as error:  # noqa: BLE001 - it is what a user would see
        faults[wire["name"]] = repr(error)
print(json.dumps(faults))
