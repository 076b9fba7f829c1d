<?php
function greet($name) {
    if ($name) {
        echo "hello $name";
}
