<?php
enum Suit {
    case Hearts,
    case Spades;
}
