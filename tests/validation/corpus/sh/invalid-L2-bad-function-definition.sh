#!/bin/bash
function greet(name) {
  echo "$name"
}
