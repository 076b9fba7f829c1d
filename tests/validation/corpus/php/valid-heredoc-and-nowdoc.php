<?php
$name = 'Ada';
$items = ['k' => ['n' => 1]];
$text = <<<HTML
    <p class="x">Hello {$name}, ${name} and $items[k] {$items['k']['n']} }</p>
    HTML;
$raw = <<<'RAW'
no $expansion {here} ?>
RAW;
echo $text . $raw . "brace { \$x {$name}s \u{1F600}" . 'it\'s';
