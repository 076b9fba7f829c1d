local a = 1
if a != 2 then
  print("different")
end
