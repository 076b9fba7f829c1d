#!/bin/bash
if [ "$1" = "x" ]
  echo "x"
fi
