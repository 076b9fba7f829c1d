<?php
if (count($items) > 0 {
    echo "some";
}
