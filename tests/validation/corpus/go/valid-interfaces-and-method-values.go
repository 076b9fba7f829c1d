package shapes

import (
	. "math"
	_ "embed"
	str "strings"
)

type Shape interface {
	Area() float64
	Scale(by float64) Shape
	interface{ Name() string }
}

type Circle struct{ r float64 }

func (c Circle) Area() float64          { return Pi * c.r * c.r }
func (Circle) Name() string             { return str.ToUpper("circle") }
func (c Circle) Scale(by float64) Shape { return Circle{c.r * by} }

var _ Shape = (*Circle)(nil)
var area = Circle.Area
var bits = 5 &^ 3 | 1<<2 ^ -7
