<?php
fucntion add($a, $b) {
    return $a + $b;
}
