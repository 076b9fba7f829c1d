<?php
$factor = 3;
$triple = fn (int $n): int => $n * $factor;
$each = function (array &$items, callable ...$fs) use (&$factor): void {
    foreach ($items as $key => &$value) {
        foreach ($fs as $f) $value = $f($value);
    }
};
$strlen = strlen(...);
static fn&(array $a) => $a;
[$a, [, $c], ['k' => $b]] = [1, [2, 4], ['k' => 3]];
echo $triple(2) <=> 5, $strlen('abc'), "\n";
