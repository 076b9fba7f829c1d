package main

import (
	"cmp"
	"fmt"
)

type Number interface {
	~int | ~int64 | ~float64
}

type Pair[K comparable, V any] struct {
	Key   K
	Value V
}

func Map[T, U any](in []T, f func(T) U) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}

func Max[T cmp.Ordered](a, b T) T { return max(a, b) }

func main() {
	p := Pair[string, []int]{Key: "a", Value: []int{1, 2}}
	fmt.Println(Map(p.Value, func(i int) string { return fmt.Sprint(i) }), Max[float64](1, 2.5))
}
