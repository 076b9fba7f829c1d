#!/bin/sh
echo 'it is
ls -l
