"""Draft, the manuscript: sections that everyone may rewrite, with every version kept."""
