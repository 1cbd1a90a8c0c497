package archtest

import "slices"

// A rule is one promise about the repository and the reason for it.
type rule struct {
	name   string
	reason string
	check  func(*tree) []finding
}

// A finding is one place that breaks a rule.
type finding struct {
	at   string // file:line, or a path where no line is to blame
	what string
}

// rules returns every row of every table.
func rules() []rule {
	all := slices.Concat(layoutRules, commentRules, stateRules, floatRules)
	all = append(all, rule{"layer/none", "a package without a layer escapes every import rule", unlayered})
	for _, l := range layers {
		all = append(all, rule{l.name, l.reason, l.check})
	}
	for _, b := range bans {
		all = append(all, rule{b.name, b.reason, b.check})
	}
	for _, r := range references {
		all = append(all, rule{r.name, r.reason, r.check})
	}
	for _, l := range limits {
		all = append(all, rule{l.name, l.reason, l.check})
	}
	return all
}
