package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Unit is what a rate counts per second.
type Unit string

// The units.
const (
	Tokens    Unit = "tokens_per_second"
	Samples   Unit = "samples_per_second"
	Steps     Unit = "steps_per_second"
	Frames    Unit = "frames_per_second"
	Gigabytes Unit = "gigabytes_per_second"
	Teraflops Unit = "teraflops"
)

// Units are all of them.
func Units() []Unit { return []Unit{Tokens, Samples, Steps, Frames, Gigabytes, Teraflops} }

// ParseUnit reads a unit's name.
func ParseUnit(name string) (Unit, error) {
	if unit := Unit(name); slices.Contains(Units(), unit) {
		return unit, nil
	}
	return "", fmt.Errorf("unknown unit %q: want one of %v", name, Units())
}

// Rate is what a program reported.
type Rate struct {
	Unit  Unit    `json:"unit"`
	Value float64 `json:"rate"`
}

// MaxLine is the longest line that is looked at.
const MaxLine = 64 << 10

// ParseRate reads one line: {"unit": "tokens_per_second", "rate": 3100},
// tokens_per_second=3100, or a number in the unit given.
func ParseRate(line string, unit Unit) (Rate, error) {
	line = strings.TrimSpace(line)
	r := Rate{Unit: unit}
	switch name, value, pair := strings.Cut(line, "="); {
	case len(line) > MaxLine:
		return Rate{}, fmt.Errorf("read rate: the line is longer than %d bytes", MaxLine)
	case strings.HasPrefix(line, "{"):
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return Rate{}, fmt.Errorf("read rate: %w", err)
		}
	case pair:
		return parsePair(strings.TrimSpace(name), value)
	default:
		return parsePair(string(unit), line)
	}
	return r, r.check()
}

func parsePair(name, value string) (Rate, error) {
	v, err := parseNumber(value)
	if err != nil {
		return Rate{}, fmt.Errorf("read rate: %w", err)
	}
	r := Rate{Unit: Unit(name), Value: v}
	return r, r.check()
}

// parseNumber reads a number as logs write it: 3,100.5 too.
func parseNumber(text string) (float64, error) {
	text = strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return v, nil
}

// maxRate is beyond any program.
const maxRate = 1e15

func (r Rate) check() error {
	if _, err := ParseUnit(string(r.Unit)); err != nil {
		return err
	}
	if math.IsNaN(r.Value) || r.Value < 0 || r.Value > maxRate {
		return fmt.Errorf("rate %g: want a number from 0", r.Value)
	}
	return nil
}

// Pattern finds a rate in the lines of a program's log.
type Pattern struct {
	expression *regexp.Regexp
	group      int
	unit       Unit
}

// ParsePattern makes a pattern of a regular expression. The rate is its group named
// "rate", or else its first.
func ParsePattern(expression string, unit Unit) (*Pattern, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	group := re.SubexpIndex("rate")
	if group < 0 {
		group = 1
	}
	if group > re.NumSubexp() {
		return nil, fmt.Errorf("pattern %q: put the number in parentheses", expression)
	}
	return &Pattern{re, group, unit}, nil
}

// Find returns the rate in a line, if there is one.
func (p *Pattern) Find(line string) (Rate, bool) {
	if len(line) > MaxLine {
		return Rate{}, false
	}
	found := p.expression.FindStringSubmatch(line)
	if found == nil {
		return Rate{}, false
	}
	r, err := parsePair(string(p.unit), found[p.group])
	return r, err == nil
}
