#!/usr/bin/env lua
local M = { _VERSION = "1.0" }
local insert <const> = table.insert

---@param list table
---@return table
function M.map(list, fn)
  local out = {}
  for i = 1, #list do insert(out, fn(list[i], i)) end
  return out
end

function M.nested.deep.method() end
M["x-y"] = function() return M end
return M
