#!/bin/bash
path=/usr/local/lib/file.tar.gz
echo "${path##*/}" "${path%.*}" "${path/local/share}" "${path:5}" "${path: -2}"
echo "${undefined-default}" "${undefined:=set}" "${!path@}" "${path@Q}" "${path,,}"
a=${path#"${path%%[!/]*}"}
echo "${a:-${b:-"nested default"}}" "${@:2}" "${*}" "$#" "$?" "$$" "$!"
