#!/bin/bash
x=1
y=$((x + 2)
echo "$y"
