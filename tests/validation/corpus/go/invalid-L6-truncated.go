package main

import "strings"

func clean(s string) string {
	return strings.TrimSpace(strings.ToLower(
