<?php
$x = match ($n) {
    1 'one',
    default => 'many',
};
