-- Search by meaning. A document waits until `embedded` names the model whose vectors it has: the queue is the texts
-- themselves, so a change costs nothing more, an older version never waits beside a newer one, and a crash loses none.
CREATE TABLE embedders (
    embedder BIGINT PRIMARY KEY,
    version TEXT NOT NULL UNIQUE
);

-- Of the processes that share a store, the one that embeds at the moment.
CREATE TABLE embedding_turns (
    turn TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until BIGINT NOT NULL
);
