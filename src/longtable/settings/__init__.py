"""Configuration: every option declared once, read from flags, environment and file, shown and documented from there."""
