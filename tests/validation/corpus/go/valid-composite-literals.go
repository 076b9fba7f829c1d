package main

type Point struct{ X, Y int }

var (
	grid   = [2][3]int{{1, 2, 3}, {4, 5, 6}}
	points = []Point{{1, 2}, {X: 3, Y: 4}}
	ptrs   = map[string]*Point{
		"a": {1, 2},
		"b": nil,
	}
	f = func(xs ...int) (n int) {
		for i := len(xs) - 1; i >= 0; i-- {
			n += xs[i]
		}
		return
	}(append([]int{1}, grid[0][1:3:3]...)...)
)

func ok(p Point) bool {
	if (p == Point{1, 2}) {
		return true
	}
	return false
}
