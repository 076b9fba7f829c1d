local n = 1
if n > 0 then
  print(1)
else if n < 0 then
  print(-1)
end
