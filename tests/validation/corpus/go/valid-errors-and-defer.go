package store

import (
	"errors"
	"fmt"
	"os"
)

var ErrMissing = errors.New("missing")

func Read(path string) (data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	defer func() {
		if cerr := f.Close(); cerr != nil && err == nil {
			err = cerr
		}
	}()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() == 0 {
		return nil, ErrMissing
	}
	return
}
