"""Holds: what a person has said stays with the server for a few seconds, in which it can be taken back."""
