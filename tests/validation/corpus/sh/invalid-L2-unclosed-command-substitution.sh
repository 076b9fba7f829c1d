#!/bin/bash
today=$(date +%F
echo "$today"
