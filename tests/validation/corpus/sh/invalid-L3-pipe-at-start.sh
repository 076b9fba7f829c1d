#!/bin/bash
ls
| grep txt
