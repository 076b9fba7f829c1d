<?php
for ($i = 0; $i < 3; $i++): echo $i; endfor;
while (false): endwhile;
if (true) : echo 1 ; elseif ( false ) : else : endif ;
switch (1): case 1: echo 'a'; endswitch;
$f = function ( ) { } ; ; ;
$o = new class ( 1 ) extends ArrayObject { public $a = [ 1 , [ 2 ] ] ; } ;
echo $o -> a [ 0 ] , $o::class, `echo hi` , ! ( bool ) 1 , @$undefined['x'] , $$i ?? null , -  - 1;
print("x") and exit;
