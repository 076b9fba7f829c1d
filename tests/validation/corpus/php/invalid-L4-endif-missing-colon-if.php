<?php
if ($x)
    echo 1;
endif;
echo 2;
