package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync/atomic"
)

type Number interface {
	~int | ~int64 | ~float64
}

type Set[K comparable] = map[K]struct{}

type List[T any] struct {
	head, tail *node[T]
	size       atomic.Int64
}

type node[T any] struct {
	val  T
	next *node[T]
}

func (l *List[T]) Push(v T) {
	n := &node[T]{val: v}
	if l.tail == nil {
		l.head, l.tail = n, n
	} else {
		l.tail.next, l.tail = n, n
	}
	l.size.Add(1)
}

func (l *List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for n := l.head; n != nil; n = n.next {
			if !yield(i, n.val) {
				return
			}
			i++
		}
	}
}

func Map[T, U any, S ~[]T](s S, f func(T) U) []U {
	out := make([]U, 0, len(s))
	for _, v := range s {
		out = append(out, f(v))
	}
	return out
}

var ErrEmpty = errors.New("empty")

func main() {
	var l List[string]
	l.Push("a")
	for i, v := range l.All() {
		fmt.Println(i, v)
	}
	for i := range 3 {
		defer func() { _ = recover() }()
		fmt.Printf("%d %v\n", i, Map([]int{1, 2}, func(x int) string { return fmt.Sprint(x) }))
	}
	keys := slices.SortedFunc(maps.Keys(Set[string]{"x": {}}), func(a, b string) int { return cmp.Compare(a, b) })
	fmt.Println(keys, min(1, 2), max(3.0, 4))
	clear(keys)
}
