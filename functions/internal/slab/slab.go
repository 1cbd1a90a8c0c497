// Package slab keeps memory for values that are needed only for a while, so that the next
// who needs as many takes it over instead of asking for more.
package slab

// Slab is room for values of one type. The zero value has none yet. One slab must not be
// used by two at once. What was taken is good until Reset.
type Slab[T any] struct {
	all  []T
	used int // of all, from the first
}

// least is for how many values a slab has room, once it has any.
const least = 256

// Take is n zero values.
func (s *Slab[T]) Take(n int) []T {
	values := s.take(n)
	clear(values)
	return values
}

// take is n values, whatever they are.
func (s *Slab[T]) take(n int) []T {
	if s.used+n > len(s.all) { // what was taken before keeps what it has
		s.all, s.used = make([]T, max(least, 2*len(s.all), 2*n)), 0
	}
	values := s.all[s.used : s.used+n : s.used+n]
	s.used += n
	return values
}

// Empty is an empty list that has room for n.
func (s *Slab[T]) Empty(n int) []T { return s.take(n)[:0] }

// Clone is a copy of a list.
func (s *Slab[T]) Clone(list []T) []T {
	values := s.take(len(list))
	copy(values, list)
	return values
}

// Reset makes all of it free. What its values point to is held on to until they are taken
// again: a slab is for values whose owner keeps that anyway.
func (s *Slab[T]) Reset() { s.used = 0 }
