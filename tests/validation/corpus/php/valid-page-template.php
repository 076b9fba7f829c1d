<!DOCTYPE html>
<html>
<head><title><?= htmlspecialchars($title ?? 'x') ?></title></head>
<body>
<?php if (count($items) > 0): ?>
  <ul class="<?= $cls ?>">
  <?php foreach ($items as $key => $item): ?>
    <li id="i-<?= $key ?>"><?= $item->name ?>: <?php echo number_format($item->price, 2) ?></li>
  <?php endforeach; ?>
  </ul>
<?php elseif ($empty): ?>
  <p>It's empty: {{ not php }} $notvar</p>
<?php else: ?>
  <script>const a = { b: "<?= $x ?>" };</script>
<?php endif ?>
<?php
function &fib(int $n, &...$more): iterable {
    static $memo = [0, 1], $calls;
    global $app;
    for ($i = 0, $j = 1; $i < $n; $i++, $j += 2):
        yield $i => $memo[$i] ?? null;
    endfor;
    while (list('a' => $a, 'b' => list($b)) = next($x)) { if (!isset($a, $b[0]->c)) continue; }
    return; # comment
}
if (!function_exists('x')) { function x(): never { exit(1); } }
echo "a{$b['c']->d} $g->h \{$i} \u{1F600} \x41", 'it\'s', `ls $dir`, __DIR__ . '/x', A::class, $c::$d, $o::{$m}();
@include 'a.php'; $$name = 1; ${'a' . 'b'} = $f()()['x']; $i = (int) "1" . 2; $z = !$a instanceof B;
?>
<footer><?php include __DIR__ . '/foot.php' ?></footer>
