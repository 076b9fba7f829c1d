"""The gateway: agents call tools of other servers under a policy, which may ask for a person's approval."""

CALL = "gateway_call"
"""The tool that calls another by its name. The server must know it before anything else of the gateway is loaded."""
