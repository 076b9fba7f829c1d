#!/bin/bash
i=0
for ((i = 0; i < 10; i += 2)); do
  ((total += i * 2, i % 3 == 0)) && continue
done
let "x = 5 << 2"
echo $((16#ff + (x > 3 ? 1 : 0))) $(( ${total:-0} ** 2 ))
while (( i-- > 0 )); do :; done
until [ "$i" -le 0 ]; do i=$((i-1)); done
