"""The gateway: agents reach other people's tools through it, under rules, and with a person's word where needed."""

CALL = "gateway_call"
"""The tool that calls another by its name. The server must know it before anything else of the gateway is loaded."""
