for i = 10, 1, -2 do
  if i % 2 == 0 then goto continue
  elseif i > 5 then break
  else print(i) end
  ::continue::
end
local n = 0
while n < 3 do n = n + 1 end
repeat local last = n; n = n - 1 until last <= 0 or n ~= n
do local scoped = 1; print(scoped) end
