local json = require("json")
local file = io.open("x")
local data = json.decode(file:read(
