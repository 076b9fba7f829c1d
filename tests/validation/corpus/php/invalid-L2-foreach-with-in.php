<?php
foreach ($item in $items) {
    echo $item;
}
