"""Files that `make docs` makes from the code; never edited by hand."""
