<?php
function add(a, $b) {
    return $b;
}
