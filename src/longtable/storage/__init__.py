"""The one SQL layer: SQLite and PostgreSQL behind one port. Knows no slice."""
