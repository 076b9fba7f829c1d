<?php
$x = 1;
catch (Exception $e) {
    echo $e;
}
