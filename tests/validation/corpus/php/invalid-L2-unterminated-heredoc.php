<?php
$text = <<<EOT
first line
second line
