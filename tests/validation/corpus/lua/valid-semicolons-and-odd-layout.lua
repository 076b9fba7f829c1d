local a , b = 1
, 2 ; ; ;
local
function
f ( x ,
  y )
  return
    x , y
  ;
end
print ( f ( a , b ) ) ; ( function ( ) end ) ( )
if a then elseif b then else end while false do end
for _ in next , { } do end
return f
