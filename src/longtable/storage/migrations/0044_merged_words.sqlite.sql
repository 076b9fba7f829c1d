-- `merge` joins segments of the index of words from two of about the same size on, not from four: a word is looked up in
-- each of them.
INSERT INTO documents_fts (documents_fts, rank) VALUES ('usermerge', 2);
