<?php
namespace App;

use App\{Http\Request, Http\Response as Res};
use function App\helper;
use const App\LIMIT;

#[\Attribute(\Attribute::TARGET_METHOD)]
final class Route { public function __construct(public string $path, public array $methods = ['GET']) {} }

interface HasName { public const string KEY = 'name'; public function name(): ?string; }

abstract class Base implements HasName
{
    use Loggable, Cacheable { Loggable::log as protected writeLog; Cacheable::log insteadof Loggable; }
    #[Route('/x', methods: ['POST'])] #[\Deprecated]
    abstract protected function handle(Request $r): Res|false;
}
