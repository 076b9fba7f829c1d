<?php
$count = 3
echo $count;
