#!/bin/bash
cd /tmp
&& ls
