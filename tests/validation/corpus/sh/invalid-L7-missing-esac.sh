#!/bin/sh
main() {
  if [ $# -gt 0 ]; then
    case "$1" in
      start) echo "go" ;;
      stop) echo "halt" ;;
  fi
}
main "$@"
