<?php
$total = $net $tax;
echo $total;
