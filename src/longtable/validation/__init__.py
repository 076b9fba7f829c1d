"""Validation: what is wrong with cells, found in processes of their own and told as advice."""
