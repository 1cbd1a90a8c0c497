package refresh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Variable names the variable with the feeds to keep fresh.
const Variable = "FEEDS"

// Plan is a feed that is kept fresh.
type Plan struct {
	Source Source
	Every  time.Duration
}

// World is what plans need of the world.
type World struct {
	From feed.Source
	// Known reports whether the catalogue has a provider.
	Known func(catalog.ProviderID) bool
	// Secret is what a variable holds, or the secret that the variable beside it
	// names; "" if neither is set.
	Secret func(ctx context.Context, variable string) (string, error)
}

// shortest is the least time between two readings of a feed: nobody's server is
// asked more often.
const shortest = 10 * time.Minute

// ParsePlans reads the feeds to keep fresh, separated by spaces:
// "skypilot/lambda aws/us-east-1=12h ecb@https://mirror/rates.xml". Each is the name of
// a format, with whose prices or which part, where the format has some; then how often,
// and from where, if that is to be otherwise than usual. What can't be read is in the
// error, and no obstacle to the others.
func ParsePlans(text string, w World) ([]Plan, error) {
	var plans []Plan
	var wrong []error
	seen := make(map[catalog.FeedName]bool)
	for word := range strings.FieldsSeq(text) {
		plan, err := parsePlan(word, w)
		if err == nil && seen[plan.Source.Name()] {
			err = errors.New("it is there twice")
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("feed %q: %w", word, err))
			continue
		}
		seen[plan.Source.Name()] = true
		plans = append(plans, plan)
	}
	return plans, errors.Join(wrong...)
}

// parsePlan reads one of the feeds.
func parsePlan(word string, w World) (Plan, error) {
	name, address, elsewhere := strings.Cut(word, "@")
	name, often, timed := strings.Cut(name, "=")
	name, part, parted := strings.Cut(name, "/")
	kind, err := KindOf(name)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Every: kind.Every, Source: Source{Kind: kind, From: w.From, Timeout: kind.Timeout}}
	if timed {
		if plan.Every, err = time.ParseDuration(often); err != nil || plan.Every < shortest {
			return plan, fmt.Errorf("want a time of at least %s after the =", shortest)
		}
	}
	if strings.Contains(kind.URL, "%s") != parted {
		return plan, fmt.Errorf("want %q with a slash and a name exactly if the format has parts", name)
	}
	plan.Source.Subject.URLs = []string{strings.Replace(kind.URL, "%s", part, 1)}
	if elsewhere {
		plan.Source.Subject.URLs = []string{address}
	}
	switch {
	case kind.Guess != nil:
		provider, ok := kind.Guess(part, w.Known)
		if !ok {
			return plan, fmt.Errorf("the catalogue has no provider %q", part)
		}
		plan.Source.Subject.Provider = provider
	case kind.Part != nil:
		if plan.Source.Part = kind.Part(part); plan.Source.Part != part || part == "" {
			return plan, fmt.Errorf("%q is no part of the feed", part)
		}
	}
	if kind.Key != "" {
		plan.Source.Credential = w.Credential(kind)
	}
	return plan, nil
}

// Credential is how a source's credential is found.
func (w World) Credential(k Kind) func(context.Context) (feed.Secret, error) {
	return func(ctx context.Context) (feed.Secret, error) {
		text, err := w.Secret(ctx, k.Key)
		return feed.Secret(text), err
	}
}
