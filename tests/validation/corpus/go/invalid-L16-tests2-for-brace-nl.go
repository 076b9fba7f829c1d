package p_test

import "testing"

func TestAdd(t *testing.T) {
	tests := []struct {
		name string
		want int
	}{
		{"zero", 0},
		{
			name: "neg",
			want: 0,
		},
	}
	for _, tt := range tests
	{
		t.Run(tt.name, func(t *testing.T) {
			if got := add(1, -1); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
	if (p{} == p{}) {
		ch <- <-ch2
	}
	func() {
		x := *(*[4]byte)(unsafe.Pointer(&b[0]))
		_ = x[:]
	}()
	type local[T any] struct{ v T }
	var _ = local[map[string]local[int]]{}
	var fn func(a, b int, _ ...string) (x, y float64)
	if err := fn(1, 2); err != nil { panic(err) } else if true { return }
	for range ch { }
	for ; ; { break }
	label: for i, j := 0, 1; i < j; i, j = i+1, j-1 { continue label }
}
