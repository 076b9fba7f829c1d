#!/bin/bash
echo one
echo two ;;
echo three
