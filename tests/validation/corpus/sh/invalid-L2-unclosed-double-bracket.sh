#!/bin/bash
if [[ -n "$1" && -f "$1" ; then
  echo ok
fi
