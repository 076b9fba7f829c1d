local co = coroutine.wrap(function(a)
  while true do
    local b = coroutine.yield(a * 2)
    if not b then return "finished" end
    a = b
  end
end)
local ok, err = pcall(function() error({ code = 42 }) end)
print(co(1), co(2), ok, type(err) == "table" and err.code)
