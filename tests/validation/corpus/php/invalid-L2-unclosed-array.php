<?php
$colours = ['red', 'green';
echo $colours[0];
