// Package ring keeps the newest values in a fixed space.
package ring

import (
	"errors"
	"sync"
)

// ErrEmpty is returned where there is nothing to take.
var ErrEmpty = errors.New("ring: empty")

const defaultSize = 64

// Ring is safe for use by several goroutines.
type Ring[T any] struct {
	mu     sync.Mutex
	values []T
	head   int
	length int
}

// Option changes a new ring.
type Option func(*settings)

type settings struct {
	size int
}

// WithSize sets the number of values that are kept.
func WithSize(size int) Option {
	return func(s *settings) { s.size = size }
}

// New makes a ring.
func New[T any](options ...Option) *Ring[T] {
	s := settings{size: defaultSize}
	for _, option := range options {
		option(&s)
	}
	return &Ring[T]{values: make([]T, s.size)}
}

// Push adds a value; the oldest one makes room where the ring is full.
func (r *Ring[T]) Push(value T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values[(r.head+r.length)%len(r.values)] = value
	if r.length < len(r.values) {
		r.length++
	} else {
		r.head = (r.head + 1) % len(r.values)
	}
}

// Pop takes the oldest value.
func (r *Ring[T]) Pop() (T, error) {
	var none T
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.length == 0 {
		return none, ErrEmpty
	}
	value := r.values[r.head]
	r.values[r.head] = none
	r.head = (r.head + 1) % len(r.values)
	r.length--
	return value, nil
}

// Len is the number of values that are kept now.
func (r *Ring[T]) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.length
}
