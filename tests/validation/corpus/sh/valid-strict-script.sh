#!/usr/bin/env bash
set -euo pipefail
IFS=$'\n\t'

readonly ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

usage() {
  echo "usage: ${0##*/} [-v] FILE..." >&2
  exit 2
}

verbose=0
while getopts ":vh" opt; do
  case "$opt" in
    v) verbose=1 ;;
    h | \?) usage ;;
  esac
done
shift $((OPTIND - 1))
(( $# > 0 )) || usage
echo "$ROOT $verbose"
