"""Measures Longtable against floors that are taken in the same run: `python -m benchmarks`."""
