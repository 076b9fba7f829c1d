<?php
echo 'hello;
$x = 1;
