#!/bin/bash
while true; then
  break
done
