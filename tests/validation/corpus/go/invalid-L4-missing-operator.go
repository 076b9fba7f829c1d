package main

func total(net, tax float64) float64 {
	sum := net tax
	return sum
}
