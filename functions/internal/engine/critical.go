package engine

import (
	"github.com/shopspring/decimal"
)

// eccWorth is how much more critical work may cost on ECC memory before it is
// taken only with a warning: 1.2 times, after the article's advice to spend 20%
// more on it.
var eccWorth = decimal.New(12, -1)

// critical answers a request for critical work: plans on ECC memory if the best of
// them costs at most eccWorth times the best of all, else the plain ones, warned.
// The premium of the first plan is told either way; it is part of no total.
func (e *Engine) critical(r Request) (Answer, error) {
	plain, err := e.plans(r)
	if err != nil || len(plain.Plans) == 0 {
		return plain, err
	}
	r.Constraints.ECC = true
	safe, err := e.plans(r)
	if err != nil || len(safe.Plans) == 0 {
		return plain, err
	}
	premium := safe.Plans[0].Total.Sub(plain.Plans[0].Total)
	if safe.Plans[0].Total.LessThanOrEqual(plain.Plans[0].Total.Mul(eccWorth)) {
		safe.Plans[0].ECCPremium = decimal.NewNullDecimal(premium)
		return safe, nil
	}
	first := &plain.Plans[0]
	first.ECCPremium = decimal.NewNullDecimal(premium)
	first.Warnings = append(first.Warnings, Warning{WarnECCDear, r.Language.Say(
		"the work is critical, and the best plan on ECC memory costs %s %s more, over a fifth: ask for ecc to take it",
		premium.RoundUp(2).StringFixed(2), r.Currency)})
	return plain, nil
}
