#!/bin/bash
for f in *.txt
  echo "$f"
done
