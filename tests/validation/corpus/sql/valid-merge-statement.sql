MERGE INTO stock AS s
USING deliveries AS d ON s.item = d.item
WHEN MATCHED AND d.quantity = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET quantity = s.quantity + d.quantity
WHEN NOT MATCHED THEN INSERT (item, quantity) VALUES (d.item, d.quantity);
