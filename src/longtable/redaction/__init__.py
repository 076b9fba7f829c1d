"""Redaction: an owner takes back a secret that was pasted, everywhere it went."""
