"""Validation: errors in cells, found by worker processes and reported as advice."""
