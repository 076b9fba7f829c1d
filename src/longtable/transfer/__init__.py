"""Export and import: what a table holds as a file, and a table from a file; copies of sessions."""
