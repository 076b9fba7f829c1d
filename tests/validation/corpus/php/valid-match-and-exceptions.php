<?php
function parse(string $in): int|false
{
    try {
        return match (true) {
            is_numeric($in) => (int) $in,
            $in === '' => 0,
            default => throw new InvalidArgumentException("bad: $in"),
        };
    } catch (InvalidArgumentException | TypeError) {
        return -1;
    } finally {
        echo 'done';
    }
}
$x ??= parse('3') ?: 1;
