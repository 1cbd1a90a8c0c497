package convert

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/schemas"
)

// Asked is what an answer is to: the request as it came over the wire, and if it
// came as a text what the text set and what was not understood.
type Asked struct {
	Request       schemas.RecommendRequest
	Interpreted   *schemas.RecommendRequest // nil for a JSON request
	NotUnderstood []string
	Suggestions   []schemas.Suggestion
}

// Response writes an answer. The snapshot is the one that the engine answered from.
func Response(s *catalog.Snapshot, a engine.Answer, asked Asked) (schemas.RecommendResponse, error) {
	id, err := planSetID(a, asked.Request)
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	out := schemas.RecommendResponse{
		PlanSetID:      id,
		CatalogVersion: string(a.CatalogVersion),
		AsOf:           known(a.AsOf.String()),
		ComputedAt:     instant(a.ComputedAt),
		Currency:       string(a.Currency),
		Interpreted:    asked.Interpreted,
		NotUnderstood:  append([]string{}, asked.NotUnderstood...),
		Suggestions:    asked.Suggestions,
		Assumptions:    make([]schemas.Assumption, 0, len(a.Assumptions)),
		Plans:          make([]schemas.Plan, 0, len(a.Plans)),
		Frontier:       frontier(a.Frontier),
		Considered:     a.Considered,
		Rejected:       make([]schemas.Rejection, 0, len(a.Rejected)),
	}
	for _, x := range a.Assumptions {
		out.Assumptions = append(out.Assumptions, schemas.Assumption(x))
	}
	w := writer{snapshot: s, currency: a.Currency, computedAt: a.ComputedAt, language: wording.Language(asked.Request.Language),
		offers: make(map[*candidate.Quote]schemas.Offer), stages: make(map[*candidate.Candidate]*schemas.Stage),
		environments: make(map[catalog.GPUID]schemas.Environment)}
	for i := range a.Plans {
		out.Plans = append(out.Plans, w.plan(i+1, &a.Plans[i]))
	}
	for _, r := range a.Rejected {
		out.Rejected = append(out.Rejected, schemas.Rejection{Reason: string(r.Reason), Stage: string(r.Stage), Count: r.Count, Message: r.Text})
	}
	for _, n := range a.Nearest {
		out.Nearest = append(out.Nearest, schemas.Nearest(n))
	}
	return out, nil
}

// planSetID names what an answer depends on, and nothing else: the catalogue
// version, the request in the one form that encoding/json gives it, and the
// instant it was computed at.
func planSetID(a engine.Answer, request schemas.RecommendRequest) (string, error) {
	canonical, err := json.Marshal(request)
	if err != nil {
		return "", fmt.Errorf("name the plan set: %w", err)
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%s\n%s\n%s\n", a.CatalogVersion, canonical, instant(a.ComputedAt))
	return "ps_" + hex.EncodeToString(digest.Sum(nil))[:16], nil
}

// instant writes a time in UTC, as precise as it is.
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// frontier writes the plans of the frontier in short. They can be many: their texts lie
// in one.
func frontier(points []engine.Point) []schemas.FrontierPoint {
	out := make([]schemas.FrontierPoint, len(points))
	var texts strings.Builder
	texts.Grow(len(points) * textRoom)
	for i := range points {
		p, room := &points[i], [textRoom]byte{}
		from := texts.Len()
		texts.Write(p.Total.AppendPlain(room[:0]))
		to := texts.Len()
		texts.Write(appendHours(room[:0], p.Seconds))
		out[i].Total, out[i].Hours = texts.String()[from:to], texts.String()[to:]
		if p.Plan > 0 {
			out[i].Plan = &p.Plan
		}
	}
	return out
}

// writer writes the plans of one answer.
type writer struct {
	snapshot   *catalog.Snapshot
	currency   catalog.Currency
	computedAt time.Time
	language   wording.Language // of notes
	offers     map[*candidate.Quote]schemas.Offer
	stages     map[*candidate.Candidate]*schemas.Stage // without their costs
	// environments are those of GPUs that plans may share, without how work is laid out.
	environments map[catalog.GPUID]schemas.Environment
}

// quote writes an offer that plans may share, once.
func (w writer) quote(q *candidate.Quote) schemas.Offer {
	out, written := w.offers[q]
	if !written {
		out = w.offer(q.Offer, quoted(q))
		w.offers[q] = out
	}
	return out
}

// plan writes a plan.
func (w writer) plan(rank int, p *engine.Plan) schemas.Plan {
	out := schemas.Plan{
		Rank:        rank,
		Total:       amount(p.Total),
		Hours:       hours(p.Seconds),
		HoursP95:    hours(p.P95),
		Stages:      make([]schemas.Stage, 0, len(p.Stages)),
		Moves:       make([]schemas.Move, 0, len(p.Moves)),
		Environment: w.environment(p.Choices[p.Main].Offer.GPU, &p.Choices[p.Main].Estimate),
		Why:         p.Why,
		Flips:       append([]string{}, p.Flips...),
		ECCPremium:  maybe(p.ECCPremium),
		Warnings:    make([]schemas.Warning, 0, len(p.Warnings)),
	}
	for i, name := range p.Stages {
		stage := *w.stage(name, p.Choices[i], &p.Spot[i])
		stage.Cost = cost(p.Lines[i])
		out.Stages = append(out.Stages, stage)
	}
	if p.HasDeadline {
		risk := trimmed(p.RiskPct, 2)
		out.RiskPct = &risk
	}
	for _, m := range p.Moves {
		if m.From != m.To && m.GB.IsPositive() {
			out.Moves = append(out.Moves, schemas.Move{From: m.From.Place.String(), To: m.To.Place.String(),
				GB: amount(m.GB), Hours: hours(m.Seconds), Cost: amount(m.Cost), Assumed: m.Assumed})
		}
	}
	if b := p.Baseline; b != nil {
		savings := amount(b.SavingsPct)
		out.Baseline = &schemas.Baseline{Description: b.Description, Total: amount(b.Total)}
		out.SavingsPct = &savings
	}
	for _, warning := range p.Warnings {
		out.Warnings = append(out.Warnings, schemas.Warning{Code: string(warning.Code), Message: warning.Message})
	}
	return out
}

// zeroIfNone is a decimal, or 0 if it is not valid.
func zeroIfNone(d decimal.NullDecimal) decimal.Decimal {
	if !d.Valid {
		return decimal.Zero
	}
	return d.Decimal
}
