#!/bin/sh
case "${1:-start}" in
  start|begin)
    echo "starting"
    ;;
  st[oa]p) echo "stopping";;
  (-*) echo "option: $1" ;;
  "") ;;
  *)
    echo "unknown: $1" >&2
    exit 1
esac
