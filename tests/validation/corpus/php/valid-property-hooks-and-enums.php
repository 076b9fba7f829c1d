<?php

declare(strict_types=1);

namespace App\Shop;

use App\Contracts\{HasName, Priced as PricedContract};
use const PHP_EOL;

enum Status: string implements HasName
{
    use Labels;
    case Open = 'open';
    const DEFAULT = self::Open;
    const string LABEL = 'status';

    public static function fromLabel(string $label): self
    {
        return self::tryFrom(strtolower($label)) ?? throw new \ValueError("no {$label}");
    }
}

abstract class Product implements PricedContract
{
    public string $name {
        get => ucfirst($this->name);
        set(string $value) { $this->name = trim($value); }
    }
    abstract public int $stock { get; set; }
    public private(set) ?float $price = null;
    protected static (Countable&\Traversable)|null $cache = null;
    final public const int MAX = 10 ** 2;

    public function __construct(
        private readonly Status $status = Status::DEFAULT,
        #[\SensitiveParameter] protected string|int|null $code = null,
    ) {
    }

    #[Route('/price', methods: ['GET', 'POST'])]
    final public function priceWith(float ...$taxes): float|false
    {
        $total = match (true) {
            $this->price === null, $this->price < 0 => 0.0,
            default => (float) $this->price,
        };
        foreach ($taxes as $i => ['rate' => $rate, 'name' => [, $short]]) {
            $total += $total * $rate;
            if ($i > 3): break; elseif ($i === 2): continue; else: $i++; endif;
        }
        $fn = fn(int $x): int => $x + $total <=> 3;
        $closure = function (array &$a, ?callable $cb = null) use (&$total, $fn): static { return $this; };
        $strlen = strlen(...);
        $obj = new class(1, name: 'x') extends Base implements \Countable { public function count(): int { return 0; } };
        [$a, [, $b]] = [1, [2, 3]];
        $text = <<<"SQL"
            SELECT {$this->name}, $arr[key], {$obj?->a?->b()['c']} ${total}
            FROM `t` WHERE x = "y"
            SQL . <<<'RAW'
            raw $nothing
            RAW;
        $len = new Product()->name;
        $x ??= [1, 2, ...$rest, 'a' => &$b];
        try { $r = clone $this; } catch (\TypeError | \LogicException) { throw $e; } finally { unset($a, $b); }
        switch ($x) { case 1: case 2; echo "x", 'y', PHP_EOL; break 1; default: print "z"; }
        goto end; end: do { $i--; } while ($i > 0 and !$b xor true);
        return $total ?: 0x1F + 0b11 + 0o17 + 1_000.5e-3;
    }
}
