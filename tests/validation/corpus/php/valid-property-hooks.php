<?php

final class User
{
    public string $fullName {
        get => $this->first . ' ' . $this->last;
        set(string $value) {
            [$this->first, $this->last] = explode(' ', $value, 2);
        }
    }

    public function __construct(
        public private(set) string $first,
        protected readonly string $last = 'x',
    ) {
    }
}

echo new User('Ada', 'L')->fullName, PHP_EOL;
