#!/usr/bin/env bash
declare -a files=(one "two three" $'four\n')
declare -A ages=([ada]=36 ["grace h"]=85)
files+=("five")
for f in "${files[@]}"; do
  printf '%s\n' "$f"
done
echo "${#files[@]} ${!ages[*]} ${ages[ada]:-none}"
echo "${files[@]:1:2} ${files[0]^^} ${files[0]//o/0}"
unset 'files[0]'
