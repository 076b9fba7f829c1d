#!/bin/bash
if (x > 3) {
  echo "big"
}
