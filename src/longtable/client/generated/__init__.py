"""Written by `make docs`."""
