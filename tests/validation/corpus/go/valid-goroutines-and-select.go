package main

import (
	"context"
	"time"
)

func worker(ctx context.Context, in <-chan int, out chan<- int) (done int, err error) {
	defer close(out)
loop:
	for {
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case v, ok := <-in:
			if !ok {
				break loop
			}
			out <- v * 2
			done++
		case <-time.After(1 * time.Second):
		default:
		}
	}
	go func() { _ = recover() }()
	return
}
