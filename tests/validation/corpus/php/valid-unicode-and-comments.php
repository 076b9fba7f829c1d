<?php
// a brace { in a comment
# another ( "
/* and ' here */
$größe = '日本語 🎉';
function été(string $値): string { return $値 . "}"; } // )
echo été($größe);
