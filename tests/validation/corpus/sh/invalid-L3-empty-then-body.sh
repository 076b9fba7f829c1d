#!/bin/bash
if [ -d /tmp ]; then
fi
echo done
