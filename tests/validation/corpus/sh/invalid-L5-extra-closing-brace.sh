#!/bin/bash
greet() {
  echo "hello"
}
}
