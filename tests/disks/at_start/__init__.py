"""A folder for PYTHONPATH: Python imports its `sitecustomize` at the start of a process."""

from pathlib import Path

FOLDER = str(Path(__file__).parent)
