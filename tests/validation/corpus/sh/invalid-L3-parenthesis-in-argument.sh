#!/bin/bash
name=demo
echo hello (world)
exit 0
