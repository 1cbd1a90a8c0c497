package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/revise"
	"github.com/tierwise/tierwise/schemas"
)

// coefficients prints measured efficiencies.
func (p *program) coefficients(ctx context.Context, args []string) error {
	q, err := p.inquiry(endpoint.CoefficientsPath, schemas.CoefficientsQuerySchema, args)
	if err != nil {
		return err
	}
	q.query["gpu"] = append(q.query["gpu"], q.words...)
	var answer schemas.CoefficientsResponse
	if err := p.ask(ctx, q, &answer, func() string { return renderCoefficients(&answer) }); err != nil {
		return err
	}
	return nothingIf(len(answer.Coefficients) == 0)
}

// renderCoefficients is coefficients for people.
func renderCoefficients(r *schemas.CoefficientsResponse) string {
	if len(r.Coefficients) == 0 {
		return "Nothing has been measured by three tenants or more. Name a GPU or a provider to see what is assumed.\n"
	}
	columns := []column{{title: "GPU"}, {title: "provider"}, {title: "SKU", most: 30}, {title: "value", right: true}, {title: "interval"},
		{title: "measured", right: true}, {title: "evidence"}, {title: "tenants", right: true}, {title: "boxes", right: true},
		{title: "reports", right: true}, {title: "days", right: true}, {title: ""}}
	var rows [][]string
	for i := range r.Coefficients {
		rows = append(rows, coefficientRow(&r.Coefficients[i]))
	}
	text := table(columns, rows)
	var failed [][]string
	for _, c := range r.Checks {
		if c.Passed < c.Boxes {
			failed = append(failed, []string{c.GPU, c.Provider, orNothing(c.SKU), c.Check, fmt.Sprintf("%d of %d boxes", c.Boxes-c.Passed, c.Boxes)})
		}
	}
	if len(failed) > 0 {
		text += "\n" + table([]column{{title: "GPU"}, {title: "provider"}, {title: "SKU", most: 30}, {title: "check"}, {title: "failed by"}}, failed)
	}
	return text + "\n" + wrap("", "", fmt.Sprintf("Useful work per paid hour against a healthy reference of the same GPU; plans are ranked by value. Catalogue %s.", r.CatalogVersion))
}

// coefficientRow is one coefficient.
func coefficientRow(c *schemas.Coefficient) []string {
	var notes []string
	if c.Frozen {
		notes = append(notes, "frozen")
	}
	if c.Reference != nil && *c.Reference == string(catalog.SpecReference) {
		notes = append(notes, "against the specification")
	}
	return []string{c.GPU, c.Provider, orNothing(c.SKU), c.Value, c.Interval[0] + " to " + c.Interval[1], orNothing(c.Measured), c.Tier,
		strconv.Itoa(c.Tenants), strconv.Itoa(c.Boxes), strconv.Itoa(c.Reports), age(c.AgeDays), strings.Join(notes, ", ")}
}

// aggregate makes coefficients of the reports of the store, or releases one that is
// frozen.
func (p *program) aggregate(ctx context.Context, args []string) error {
	flags, where := storageFlags("aggregate")
	words, err := wordsOf(flags, args)
	if err != nil {
		return err
	}
	release := len(words) > 0 && words[0] == "release"
	if len(words) > 0 && (!release || len(words) < 3 || len(words) > 4) {
		return usageError{fmt.Sprintf("aggregate: want nothing, or release GPU PROVIDER [SKU], got %q", words)}
	}
	s, err := p.open(ctx, *where)
	if err != nil {
		return err
	}
	config := revise.Config{Store: s, Baseline: p.load, Now: p.now}
	if release {
		return p.release(ctx, config, append(words[1:], "")[:3])
	}
	result, err := revise.Run(ctx, config)
	if err != nil {
		return err
	}
	return p.writing(where.json).print(result, revised(result))
}

// revised says what a revision did.
func revised(r revise.Result) string {
	text := fmt.Sprintf("%d of %d reports count; %d coefficients and %d rates of checks; ", r.Counted, r.Reports, r.Coefficients, r.Checks)
	if r.Published {
		text += fmt.Sprintf("published as %s.\n", r.Version)
	} else {
		text += fmt.Sprintf("nothing to publish: %s has them.\n", r.Version)
	}
	for _, a := range r.Alerts {
		text += fmt.Sprintf("Frozen: %s at %s %s stays at %.3f; the last week measured %.3f, the month %.3f.\n", a.GPU, a.Provider, a.SKU, a.Published, a.Week, a.Month)
	}
	return text
}

// release lets a frozen coefficient move again.
func (p *program) release(ctx context.Context, c revise.Config, of []string) error {
	k := catalog.Coefficient{GPU: catalog.GPUID(of[0]), Provider: catalog.ProviderID(of[1]), SKU: catalog.SKU(of[2])}
	err := revise.Release(ctx, c, k)
	if errors.Is(err, catalog.ErrNotFound) {
		return fmt.Errorf("no coefficient of %s at %s %s is frozen", k.GPU, k.Provider, k.SKU)
	}
	if err != nil {
		return err
	}
	return p.print(map[string]string{"released": of[0]}, "Released: the next aggregate lets it move.\n")
}
