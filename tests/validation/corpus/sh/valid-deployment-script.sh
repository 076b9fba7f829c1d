#!/usr/bin/env bash
set -Eeuo pipefail
shopt -s extglob nullglob
IFS=$'\n\t'
declare -A hosts=([web]="10.0.0.1" [db]='10.0.0.2')
declare -a queue=() files=( *.@(txt|md) )
readonly VERSION="${1:-$(git describe --tags 2>/dev/null || echo dev)}"

trap 'echo "failed at ${BASH_SOURCE[0]}:$LINENO" >&2; exit 1' ERR

log() { printf '%(%F %T)T %s\n' -1 "$*" >&2; }

function deploy::one {
  local name=$1 ip=${hosts[$1]:?unknown host} n
  for ((n = 0; n < 3; n++)); do
    if ssh -o BatchMode=yes "$ip" bash -s -- "$VERSION" <<-'REMOTE'
	set -e
	tar xzf "/tmp/app-$1.tgz" && systemctl restart app || {
	  echo "no $(hostname)"; exit 1
	}
	REMOTE
    then
      log "ok $name"
      return 0
    fi
    (( n == 2 )) && break || sleep $((2 ** n))
  done
  return 1
}

while getopts ":hv:f-:" opt; do
  case $opt in
    h|\?) cat <<EOF; exit 0 ;;
usage: ${0##*/} [-h] [-v version]
EOF
    v) VERSION_ARG=$OPTARG ;;&
    f) force=1 ;&
    -) [[ $OPTARG == @(dry-run|quiet) ]] || exit 2 ;;
  esac
done
shift $((OPTIND - 1))

for host in "${!hosts[@]}"; do
  deploy::one "$host" &
  queue+=("$!")
done
wait "${queue[@]}"
mapfile -t lines < <(sort -u <(cut -d: -f1 /etc/passwd) <(echo root))
[[ ${#lines[@]} -gt 0 && ${lines[0]} =~ ^([a-z_]+)$ ]] && echo "${BASH_REMATCH[1]^^}" || :
