"""Governance: which of other people's tools may be called, under what name, and what a person must allow first."""
