<?php
class A {
    public int $x = 1
    public int $y = 2;
}
