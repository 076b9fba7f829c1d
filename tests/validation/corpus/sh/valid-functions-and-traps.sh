#!/usr/bin/env bash
function cleanup {
  local status=$?
  rm -rf -- "${tmp:?}"
  return "$status"
}
tmp=$(mktemp -d)
trap cleanup EXIT INT TERM
trap 'echo "line $LINENO"' ERR

log() ( printf '[%s] %s\n' "$(date +%T)" "$*" )
log "working in $tmp"
select choice in a b; do break; done
