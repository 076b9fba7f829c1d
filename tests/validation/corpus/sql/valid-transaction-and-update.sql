BEGIN;
UPDATE accounts SET balance = balance - 100.50 WHERE id = 1;
UPDATE accounts SET (balance, touched) = (balance + 100.50, now()) WHERE id = 2;
SAVEPOINT before_fee;
DELETE FROM holds USING accounts WHERE holds.account_id = accounts.id AND holds.amount = 0;
COMMIT;
