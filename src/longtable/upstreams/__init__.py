"""Upstreams: connections to other people's tools, each of which may fail without harm to the others."""
