<?php
$x = strlen("abc"];
echo $x;
