package main

type Weekday int

const (
	Sunday Weekday = iota
	Monday
	Tuesday
	_
	Thursday
)

const (
	KB = 1 << (10 * (iota + 1))
	MB
	GB
)

func (d Weekday) String() string {
	return [...]string{"Sun", "Mon", "Tue", 4: "Thu"}[d]
}
