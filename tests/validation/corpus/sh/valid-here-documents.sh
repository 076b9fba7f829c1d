#!/bin/sh
name="world"
cat <<EOF
Hello $name, today is $(date +%F)
  unbalanced ( and { and "
EOF
cat <<'RAW' | grep -v "x"
no $expansion `here` if then fi
RAW
cat <<-TABS
	indented
	TABS
cat <<<"a here string with $name"
