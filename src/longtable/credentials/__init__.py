"""Credentials: the tokens of a tenant, in the hands of its owner."""
