#!/bin/bash
if [ -f "$1" ]; then
  echo "found"
echo "done"
