#!/bin/bash
echo "hello world
ls -l
echo finished
