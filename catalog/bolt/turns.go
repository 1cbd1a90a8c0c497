package bolt

import (
	bolt "go.etcd.io/bbolt"
)

// turn is a write that shares its transaction with others: writing to disk takes
// milliseconds, for one as for hundreds.
type turn struct {
	// decide looks and changes nothing. An error refuses this turn alone; write does
	// what was decided, and an error of it undoes the whole transaction.
	decide func(*bolt.Tx) (write func() error, err error)
	err    error
	done   chan struct{}
}

// together waits for a transaction and takes a turn in it. Whoever comes first leads:
// it takes all that have come by the time that the file is its own.
func (s *Store) together(decide func(*bolt.Tx) (write func() error, err error)) error {
	t := &turn{decide: decide, done: make(chan struct{})}
	s.queue.Lock()
	s.waiting = append(s.waiting, t)
	leads := len(s.waiting) == 1
	s.queue.Unlock()
	if leads {
		s.lead()
	}
	<-t.done
	return t.err
}

// lead does all turns that wait.
func (s *Store) lead() {
	var turns []*turn
	err := s.update(func(tx *bolt.Tx) error {
		turns = s.taken()
		for _, t := range turns {
			write, err := t.decide(tx)
			if t.err = err; err != nil {
				continue
			}
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	})
	if turns == nil { // the file could not be had
		turns = s.taken()
	}
	for _, t := range turns {
		if err != nil {
			t.err = err
		}
		close(t.done)
	}
}

// taken are the turns that wait, which wait no more.
func (s *Store) taken() []*turn {
	s.queue.Lock()
	defer s.queue.Unlock()
	turns := s.waiting
	s.waiting = nil
	return turns
}
