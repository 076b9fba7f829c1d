package p

type (
	A = int
	B struct{ A }
)

const (
	x = iota
	y
)

var (
	z = []int{1, 2}
	f = func() {}
)
