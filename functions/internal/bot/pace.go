package bot

import (
	"slices"
	"sync"
	"time"
)

// Slack waits for three seconds. Patience is how much of it may go by until an answer
// is ready; the rest is for its way back.
const patience = 2500 * time.Millisecond

// firstGuess is how long an answer is taken to need while nothing is known.
const firstGuess = 800 * time.Millisecond

// remembered is how many answers are remembered.
const remembered = 16

// pace knows how long the last answers took. The zero value knows of none.
type pace struct {
	mu     sync.Mutex
	recent []time.Duration
}

// note remembers an answer.
func (p *pace) note(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent = append(p.recent, took)
	if len(p.recent) > remembered {
		p.recent = p.recent[1:]
	}
}

// allows reports whether an answer that takes as long as the slowest of the last ones
// is ready while Slack still waits. Slack's time is in whole seconds, so up to one
// counts that has not gone by.
func (p *pace) allows(now, sent time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	expected := firstGuess
	if len(p.recent) > 0 {
		expected = slices.Max(p.recent)
	}
	return now.Add(expected).Before(sent.Add(patience))
}
