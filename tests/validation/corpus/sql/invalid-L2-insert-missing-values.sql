INSERT INTO users (id, name)
(1, 'Ada'),
(2, 'Grace');
