local numbers = { 3, 345, 0xff, 0xBEBADA, 3.0, 3.1416, 314.16e-2, 0.31416E1, 0x0.1E, 0xA23p-4, .5, 5. }
local big = 2^53 | 0
local neg = -2 ^ 2
local cat = 1 .. 2
print(#numbers, big, neg, cat, 7 // 2 % 3, 1 <= 2, 1 ~= 2)
