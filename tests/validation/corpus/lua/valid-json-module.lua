local M = {}
local insert, concat, unpack = table.insert, table.concat, table.unpack or unpack

local function escape(s)
  return (s:gsub('[%c"\\]', {
    ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n',
  }))
end

local encoders
encoders = {
  ["nil"] = function() return "null" end,
  boolean = tostring,
  number = function(n)
    if n ~= n or n == math.huge or n == -math.huge then error("not JSON: " .. n) end
    return ("%.14g"):format(n)
  end,
  string = function(s) return '"' .. escape(s) .. '"' end,
  table = function(t, seen)
    seen = seen or {}
    if seen[t] then error "cycle" end
    seen[t] = true
    local out = {}
    if #t > 0 then
      for _, v in ipairs(t) do out[#out + 1] = encoders[type(v)](v, seen) end
      return "[" .. concat(out, ",") .. "]"
    end
    for k, v in next, t do
      insert(out, ("%q:%s"):format(k, encoders[type(v)](v, seen)))
    end
    return "{" .. concat(out, ",") .. "}"
  end,
}

function M.encode(v) return encoders[type(v)](v) end

M.decode = coroutine.wrap(function(s)
  while true do
    local ok, err = pcall(load, "return " .. s, "=json", "t", {})
    s = coroutine.yield(ok and err)
  end
end)

return M
