"""Types and functions that every other package uses; imports nothing of ours."""
