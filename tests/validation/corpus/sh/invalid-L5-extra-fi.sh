#!/bin/bash
if true; then
  echo "yes"
fi
fi
echo "end"
