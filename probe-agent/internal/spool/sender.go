package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Sender moves reports out of the outbox. There is one at a time.
type Sender struct {
	spool   *Spool
	release func()
}

// Sender takes the right to send. ErrBusy if another process has it.
func (s *Spool) Sender() (*Sender, error) {
	release, err := lock(s.path("sender.lock"))
	if err != nil {
		return nil, err
	}
	return &Sender{s, release}, nil
}

// Close gives the right back.
func (s *Sender) Close() { s.release() }

// Next is the oldest pending report; false if there is none. A report that was dropped
// since it was listed is passed over.
func (s *Sender) Next() (Seq, []byte, bool, error) {
	pending, err := s.spool.Pending()
	if err != nil {
		return 0, nil, false, err
	}
	for _, seq := range pending {
		payload, err := os.ReadFile(s.spool.path(pendingDir, seq.file()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, nil, false, fmt.Errorf("read report %d: %w", seq, err)
		}
		return seq, payload, true, nil
	}
	return 0, nil, false, nil
}

// Sent notes that the server has a report.
func (s *Sender) Sent(seq Seq) error { return s.move(seq, sentDir) }

// Reject parks a report with the reason why the server does not want it.
func (s *Sender) Reject(seq Seq, reason string) error {
	if err := WriteFile(s.spool.path(rejectedDir, seq.file()+".reason"), []byte(reason+"\n"), 0o600); err != nil {
		return err
	}
	return s.move(seq, rejectedDir)
}

func (s *Sender) move(seq Seq, dir string) error {
	if err := os.Rename(s.spool.path(pendingDir, seq.file()), s.spool.path(dir, seq.file())); err != nil {
		return fmt.Errorf("move report %d to %s: %w", seq, dir, err)
	}
	return errors.Join(syncDir(s.spool.path(dir)), syncDir(s.spool.path(pendingDir)))
}
