"""What other programs keep, as the lines of an export: one module for each of them."""
