<?php
function pages(int $n): \Generator
{
    static $calls = 0;
    for ($i = 0, $j = 10; $i < $n; $i++, --$j) {
        $got = yield $i => $j;
        if ($got) break;
    }
    yield from [1, 2];
    return ++$calls;
}
do { $z = 1_000 ** 2 % 7; } while (false);
switch ($z) { case 1: case 2; echo 1; break; default: echo 0x1F, 0b11, 0o17, 1.5e3; }
goto end;
end:
echo PHP_VERSION;
