```sql
SELECT 1;
```
