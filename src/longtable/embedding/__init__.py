"""Vectors of texts, so that they are found by what they mean. The model runs in a process of its own."""
