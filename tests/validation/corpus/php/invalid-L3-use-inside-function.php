<?php
function f() {
    use App\Model;
    return 1;
}
