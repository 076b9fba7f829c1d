sql = <<~SQL.strip
  SELECT * FROM users
  WHERE name = '#{"O'Brien".gsub("'") { "''" }}' -- end if do {
SQL
raw = <<~'RAW'
  no #{interpolation} here \n
RAW
both = [<<~A, <<~B].join
  first
A
  second
B
puts sql, raw, both
