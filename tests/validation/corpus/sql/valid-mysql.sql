SET NAMES utf8mb4; SET @x := 1, @@session.sql_mode = 'STRICT_ALL_TABLES';
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `users` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT 'the id',
  `name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci NOT NULL DEFAULT '',
  `role` enum('a','b') DEFAULT 'a', `flags` set('x','y'), `price` decimal(10,2) unsigned zerofill,
  `at` timestamp(6) NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `j` json, `v` varchar(10) GENERATED ALWAYS AS (json_unquote(`j`->'$.a')) VIRTUAL INVISIBLE,
  PRIMARY KEY (`id`), UNIQUE KEY `u` (`name`(10) DESC), KEY `k` (`role`,`at`) USING BTREE, FULLTEXT KEY `ft` (`name`), SPATIAL INDEX (g),
  CONSTRAINT `fk` FOREIGN KEY (`role`) REFERENCES `roles` (`id`) ON DELETE SET NULL ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC COMMENT='x' PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE);
INSERT IGNORE INTO users SET name = "double \"quoted\"", role = 'b';
INSERT INTO users (id, name) VALUES (1, 'a'), (2, 'it\'s') AS new ON DUPLICATE KEY UPDATE name = new.name, id = LAST_INSERT_ID(id);
REPLACE INTO users VALUES ROW(1, 2);
SELECT SQL_CALC_FOUND_ROWS u.*, j->>'$.a', IF(a, b, c), @x := @x + 1, GROUP_CONCAT(DISTINCT n ORDER BY n SEPARATOR '; '), DATE_ADD(NOW(), INTERVAL 1 DAY), a <=> b, a DIV b, a XOR b, !c, a && b, a || b, CONVERT(x USING utf8), MATCH (name) AGAINST ('+a -b' IN BOOLEAN MODE), x'4D', 0xFF, b'01', _utf8'x', `a`.`b`
FROM users u FORCE INDEX (k) STRAIGHT_JOIN t2 ON t2.id = u.id LEFT JOIN (t3, t4) ON t3.a = t4.a, JSON_TABLE(j, '$[*]' COLUMNS (a INT PATH '$.a')) jt
WHERE name RLIKE '^a' AND name NOT REGEXP 'b' AND d > NOW() - INTERVAL 7 DAY # comment
GROUP BY a WITH ROLLUP HAVING COUNT(*) > 1 ORDER BY FIELD(id, 3, 1) LIMIT 10 OFFSET 5 FOR UPDATE;
UPDATE users u JOIN t2 USING (id) SET u.name = t2.name, u.a = u.a + 1 WHERE u.id < 5;
DELETE u, t2 FROM users u INNER JOIN t2 ON u.id = t2.id WHERE t2.x IS NULL;
DELETE FROM users WHERE id < 3 ORDER BY id LIMIT 10;
ALTER TABLE users ADD COLUMN c INT FIRST, ADD d INT AFTER c, MODIFY name TEXT, CHANGE a b BIGINT NOT NULL, DROP INDEX k, ADD INDEX (x), RENAME TO u2, ALGORITHM=INPLACE;
LOAD DATA LOCAL INFILE 'x.csv' INTO TABLE t FIELDS TERMINATED BY ',' ENCLOSED BY '"' LINES TERMINATED BY '\n' IGNORE 1 LINES (a, @b) SET c = @b;
SHOW CREATE TABLE users; SHOW TABLES LIKE '%x%'; DESCRIBE users; USE db; EXPLAIN FORMAT=JSON SELECT 1; LOCK TABLES a READ, b WRITE; UNLOCK TABLES;
CREATE USER 'x'@'%' IDENTIFIED BY 'p'; GRANT ALL PRIVILEGES ON db.* TO 'x'@'localhost' WITH GRANT OPTION; FLUSH PRIVILEGES;
