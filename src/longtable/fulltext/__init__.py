"""Full text: which documents hold these words. Noted in the transaction of the text itself."""
