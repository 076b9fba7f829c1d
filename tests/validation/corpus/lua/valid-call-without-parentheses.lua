local function log(t) print(type(t) == "table" and t.message or t) end
log "plain string"
log [[long string]]
log { message = "table", level = 1 }
require "string".format("%d", 3)
local s = ("%s"):format "x"
print(s)
