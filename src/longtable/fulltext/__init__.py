"""Full text: which documents hold these words. Written in the transaction of the text itself."""
