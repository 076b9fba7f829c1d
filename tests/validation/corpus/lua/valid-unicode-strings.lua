-- комментарий with ( and {
local greeting = "Grüße, 世界 🎉"
local t = { ["ключ"] = "значение", emoji = "👍" }
print(greeting, t["ключ"], utf8.len(greeting)) -- end
