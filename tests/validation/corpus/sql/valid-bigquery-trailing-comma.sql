SELECT
  user_id,
  SAFE_CAST(x AS INT64) AS n,
FROM `project.data.events_*`
WHERE n > 1;
