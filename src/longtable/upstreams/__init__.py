"""Upstreams: connections to other servers of tools; the failure of one does not affect the others."""
