INSERT OR IGNORE INTO t (a, b) VALUES (?1, ?2), (:name, @x);
