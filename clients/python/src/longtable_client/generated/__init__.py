"""Generated from the tools and errors of the server."""
