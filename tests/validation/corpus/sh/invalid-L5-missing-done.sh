#!/bin/bash
if [ -d logs ]; then
  for f in logs/*.txt; do
    echo "$f"
fi
echo "finished"
