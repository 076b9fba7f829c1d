<?php
function load(string $path): array {
    return json_decode(file_get_contents($path,
