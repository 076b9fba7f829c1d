<?php
class A {
    public add(int $a): int { return $a; }
}
