<?php
$user = new stdClass();
echo $user->;
echo 1;
