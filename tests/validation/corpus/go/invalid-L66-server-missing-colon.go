package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"
)

type Option func(*Server)

type Server struct {
	*http.Server
	mux  *http.ServeMux
	log  *slog.Logger
	done chan<- struct{}
	in   <-chan error
	tags map[string][]func(...int) (n int, err error)
	user struct {
		Name string `json:"name,omitempty"`
		_    [4]byte
	}
}

const (
	KB = 1 << (10 * (iota + 1))
	MB
	timeout = 5 * time.Second
)

func WithLogger(l *slog.Logger) Option { return func(s *Server) { s.log = l } }

func New(addr string, opts ...Option) (*Server, error) {
	s := &Server{mux: http.NewServeMux()}
	for _, o := range opts {
		o(s)
	}
	s.mux.HandleFunc("GET /items/{id}", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		switch id := r.PathValue("id"); {
		case id == "", id == "0":
			http.Error(w, `{"error": "bad id"}`, http.StatusBadRequest)
			return
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{"id": id, "ok": true, "at": []int{1: 2, 3}})
		}
		select {
		case <-ctx.Done():
			s.log.Error("timeout", "err", ctx.Err())
		case err, ok := <-s.in:
			if !ok || err != nil {
				break
			}
		case s.done <- struct{}{}:
		}
	})
	return s, nil
}

func (s *Server) kind(v any) (out string) {
outer:
	for {
		switch t := v.(type) {
		case nil
			out = "nil"
		case int, *int:
			out = "int"
			fallthrough
		case func() error:
			continue outer
		case interface{ Foo() }:
			goto end
		case []string:
			out = t[0][1:2:3]
		}
		break outer
	}
end:
	go func(x int) { println(x &^ 1, 'a', '\'', '\u00e9', 0b1_0, 0o7, 0x1p-2, 1i) }(3)
	return
}
