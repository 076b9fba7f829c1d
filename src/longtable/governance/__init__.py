"""Governance: which upstream tools may be called, under what name, and which calls need a person's approval."""
