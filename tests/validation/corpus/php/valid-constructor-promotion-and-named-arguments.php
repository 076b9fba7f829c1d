<?php
readonly class Point
{
    public function __construct(
        public int|float $x = 0,
        public (Countable&Traversable)|null $items = null,
    ) {}

    public function with(int ...$changes): static
    {
        return new static(...$changes, ...['y' => 1]);
    }
}

$p = new Point(x: 1, items: null);
echo $p?->x ?? 'none', PHP_EOL;
