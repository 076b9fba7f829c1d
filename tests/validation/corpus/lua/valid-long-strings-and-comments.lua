--[[ a block comment
with end and function ( and "quotes ]] 
--[==[ another ]] still a comment
]==]
local sql = [[
SELECT * FROM t WHERE x = "]" -- not a comment
]]
local nested = [==[ contains ]] inside ]==]
local escapes = "a\n\t\"q\" \x41 \u{1F600} \z
                 continued \065"
print(sql, nested, escapes, 'it\'s') -- end
