<?php
declare(strict_types=1);

namespace App\Model;

enum Suit: string implements \JsonSerializable
{
    const Wild = self::Spades;

    case Hearts = 'H';
    case Spades = 'S';

    public function label(): string
    {
        return match ($this) {
            self::Hearts => 'red',
            self::Spades, => 'black',
        };
    }

    public function jsonSerialize(): mixed { return $this->value; }
}
