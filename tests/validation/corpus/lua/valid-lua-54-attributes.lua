local version <const> = "5.4"
local file <close> = setmetatable({}, { __close = function() print("closed") end })
local mask = 0xFF & ~0x0F | 1 << 4 ~ 3 >> 1
local half = 7 // 2
goto done
do print("skipped") end
::done::
print(version, file, mask, half)
