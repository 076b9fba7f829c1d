<?php

trait Countable2
{
    private int $n = 0;
    public static ?self $last = null;
    public function inc(): static { $this->n++; return $this; }
    abstract public function get(): int;
}

class Cart { use Countable2; public function get(): int { return $this->n ** 2; } }
echo (new Cart())->inc()->inc()->get() ?: 0;
