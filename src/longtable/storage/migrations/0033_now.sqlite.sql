-- As in 0017: what the planner is to think of the index.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('events', 'events_of_tasks', '100000 10000 2 1');
ANALYZE sqlite_schema;
