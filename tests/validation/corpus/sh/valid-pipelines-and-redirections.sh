#!/usr/bin/env bash
find . -name '*.log' -print0 |
  xargs -0 grep -h "ERROR" 2>/dev/null |
  sort | uniq -c |
  sort -rn > report.txt || true
{ echo start; ls; } >> log.txt 2>&1
(cd /tmp && tar czf - .) | cat > /dev/null &
wait "$!"
exec 3<> file.txt; echo hi >&3; exec 3>&-
diff <(sort a.txt) <(sort b.txt) &> out
