local a = 1
if a then
  break
end
print(a)
