package model

import "time"

type Base struct {
	ID        int64     `json:"id" db:"id,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

type User struct {
	Base
	*time.Location
	Name, Email string
	prefs       map[string]func(int) (bool, error)
	_           struct{}
}

func (u *User) Rename(name string) (old string) {
	old, u.Name = u.Name, name
	return
}

var anonymous = struct {
	X, Y int
}{1, 2}
