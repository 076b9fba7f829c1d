#!/bin/bash
input="$1"
if [[ "$input" =~ ^([0-9]+)-(a|b)$ && -n "${BASH_REMATCH[1]}" ]]; then
  echo "match: ${BASH_REMATCH[2]}"
elif [ -f "$input" ] || [ "$input" = "x" -a ! -d /tmp ]; then
  echo "file"
else
  [[ $input == *.txt || $input < "m" ]] && echo "text"
fi
