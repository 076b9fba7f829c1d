local sql = [==[
SELECT [a], [[b]] FROM t
WHERE x = ']]'
]==]
local s = "tab\tnl\n\z
           continued \x41\u{48}\065 \"q\" \
second line"
--[[ block
comment ]]
--[==[ another ]] ]==]
local hex, flt, exp = 0xA.8p1, .5, 3e-2
print "call without parens"
print [[long]]
f { 1, 2, 3, n = 3 }
local len = #"abc" + #{ 1, 2 }
local function fact(n) return n <= 1 and 1 or n * fact(n - 1) end
local curry = function(a) return function(b) return a + b end end
print(curry(1)(2), ("x"):rep(3), fact(5), s:upper():lower())
local a, b, c = (function(...) return ... end)(1, 2, 3)
t = { [1] = "a", [2] = "b", f = function() end, "pos"; 'pos2', [#sql] = { { {} } }, }
local _ENV = { print = print }
;(print or error)("semicolon start")
goto done
do local x end
::done::
