"""Notifiers: people are called, outside of the console, when something waits for them."""
