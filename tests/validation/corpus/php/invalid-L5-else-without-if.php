<?php
$n = 1;
if ($n > 0) { echo "a"; }
$n = 2;
else { echo "b"; }
