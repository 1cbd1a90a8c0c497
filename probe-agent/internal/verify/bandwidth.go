package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Bandwidth reads from a connection for as long as it is allowed to.
type Bandwidth struct {
	Budget  int64         // bytes
	Longest time.Duration // at most
	Now     func() time.Time
	// Progress is told after every second; nil if nobody wants to know.
	Progress func(elapsed time.Duration, bytes int64)
}

const (
	bandwidthID    = "bandwidth_throttled"
	bandwidthTitle = "Bandwidth stays what it is in the first minute"
)

// The rule of the check.
const (
	firstPart      = time.Minute      // is compared
	shortest       = 90 * time.Second // below, there is no last third to compare with
	throttledRatio = 0.7
	clearAfter     = 2 * time.Minute // from then on a clear fall ends the test early
	clearRatio     = 0.5
	clearSeconds   = 30
)

// Measure reads to the end of the budget, the time or the data, and returns the rate
// of every second in Mbit/s.
func (b *Bandwidth) Measure(ctx context.Context, in io.Reader) ([]float64, error) {
	start := b.Now()
	var total, second int64
	var rates []float64
	buffer := make([]byte, 64<<10)
	for total < b.Budget && ctx.Err() == nil {
		n, err := in.Read(buffer[:min(int64(len(buffer)), b.Budget-total)])
		elapsed := b.Now().Sub(start)
		for int(elapsed/time.Second) > len(rates) { // a second, or several without a byte
			rates = append(rates, float64(second)*8/1e6)
			second = 0
			b.tell(elapsed, total)
		}
		total += int64(n)
		second += int64(n)
		if errors.Is(err, io.EOF) || elapsed >= b.Longest || clearlyThrottled(rates) {
			break
		}
		if err != nil {
			return rates, fmt.Errorf("read: %w", err)
		}
	}
	if elapsed := b.Now().Sub(start); len(rates) == 0 && elapsed > 0 {
		rates = append(rates, float64(total)*8/1e6/elapsed.Seconds()) // it took less than a second
	}
	return rates, ctx.Err()
}

func (b *Bandwidth) tell(elapsed time.Duration, bytes int64) {
	if b.Progress != nil {
		b.Progress(elapsed, bytes)
	}
}

// clearlyThrottled ends a test whose outcome is plain, since its bytes cost money.
func clearlyThrottled(rates []float64) bool {
	if len(rates) < int(clearAfter.Seconds()) {
		return false
	}
	first := quantile(rates[:int(firstPart.Seconds())], 0.95)
	return quantile(rates[len(rates)-clearSeconds:], 0.5) < clearRatio*first
}

// JudgeBandwidth compares the best of the first minute with the median of the last
// third: a bucket that runs dry shows there.
func JudgeBandwidth(rates []float64, claim Claim) []Check {
	c := Check{ID: bandwidthID, Title: bandwidthTitle, Required: fmt.Sprintf("last third at least %.0f%% of the first minute", 100*throttledRatio)}
	if len(rates) < int(shortest.Seconds()) {
		c.Status, c.Actual = Inconclusive, fmt.Sprintf("the test lasted %d s or less", len(rates))
		if len(rates) > 0 {
			c.Actual += fmt.Sprintf(", at %.0f Mbit/s", quantile(rates, 0.5))
		}
		c.Remedy = fmt.Sprintf("it takes at least %.0f s: raise --bandwidth-budget, or name a larger file", shortest.Seconds())
		return append([]Check{c}, checkNet(rates, claim)...)
	}
	first := quantile(rates[:int(firstPart.Seconds())], 0.95)
	last := quantile(rates[len(rates)-len(rates)/3:], 0.5)
	c = c.withValue(last/first, "")
	c.Actual = fmt.Sprintf("%.0f Mbit/s in the first minute, %.0f Mbit/s in the last third", first, last)
	c.Status = Pass
	if !(last >= throttledRatio*first) {
		c.Status = Fail
		c.Remedy = "plan with the lower rate; \"unlimited\" bandwidth is limited here"
	}
	return append([]Check{c}, checkNet(rates, claim)...)
}

// checkNet holds the rate against a claim.
func checkNet(rates []float64, claim Claim) []Check {
	if claim.NetMbps == 0 || len(rates) == 0 {
		return nil
	}
	c := Check{ID: "network_speed", Title: "Network speed", Required: fmt.Sprintf("%.0f Mbit/s, less %.0f%%", claim.NetMbps, 100*(1-throttledRatio))}
	c = c.withValue(quantile(rates, 0.95), "Mbit/s")
	c.Status = Pass
	if *c.Value < throttledRatio*claim.NetMbps {
		c.Status = Inconclusive
		c.Evidence = "one connection to one server: the other end may be what is slow"
		c.Remedy = "try a server that is known to be fast, near the box"
	}
	return []Check{c}
}

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
