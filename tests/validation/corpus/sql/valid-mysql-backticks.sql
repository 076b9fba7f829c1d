SELECT `u`.`id`, `u`.`order`, COUNT(*) AS `n`
FROM `users` AS `u`
LEFT JOIN `orders` `o` ON `o`.`user_id` = `u`.`id` AND `o`.`total` > 10
WHERE `u`.`name` LIKE "A%" -- a comment with ( and '
GROUP BY `u`.`id`
HAVING COUNT(*) > 1
ORDER BY `n` DESC
LIMIT 5, 10;
