"""Measures Longtable against floors that are taken in the same run: `python -m benchmarks`."""

import os

# As the server does before it loads numpy: several threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
