#!/bin/sh
docker run --rm \
  -v "$PWD:/src" \
  -e KEY=value \
  image:tag \
  sh -c 'for f in *.c; do cc -c "$f" || exit 1; done'
if true; then echo a; else echo b; fi; for x in 1 2; do echo $x; done
! false && echo ok
time ls > /dev/null
coproc cat
