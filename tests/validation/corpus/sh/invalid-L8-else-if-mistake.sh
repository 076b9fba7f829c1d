#!/bin/bash
for x in a b; do
  if [ "$x" = a ]; then
    echo a
  else if [ "$x" = b ]; then
    echo b
  fi
done
