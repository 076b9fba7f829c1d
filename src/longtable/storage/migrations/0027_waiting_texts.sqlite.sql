-- Texts that the index has yet to learn. A row here costs a write one page, the index a dozen; texts that are indexed
-- together share those. Which text it is, not the text itself: that is read when it is indexed, as it is by then.
CREATE TABLE waiting_texts (
    place INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    session_id TEXT NOT NULL,
    ref TEXT NOT NULL
);
