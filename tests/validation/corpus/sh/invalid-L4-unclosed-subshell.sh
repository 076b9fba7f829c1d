#!/bin/bash
if true; then
  (cd /tmp && ls
fi
echo "done"
