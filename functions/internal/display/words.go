package display

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/schemas"
)

// Hardware is what a stage runs on.
func Hardware(s *schemas.Stage) string {
	instances := ""
	if s.Instances > 1 {
		instances = " on " + strconv.Itoa(s.Instances)
	}
	if s.GPUs > 0 && s.Offer.GPU != nil {
		return fmt.Sprintf("%d x %s%s", s.GPUs, *s.Offer.GPU, instances)
	}
	if s.Offer.VCPU != nil {
		return fmt.Sprintf("%d x %s vCPU", s.Instances, s.Offer.VCPU)
	}
	return fmt.Sprintf("%d x CPU", s.Instances)
}

// OfferName names an offer: its place, as a request would write it, and its SKU.
func OfferName(o *schemas.Offer) string {
	where := o.Provider + "/" + o.Region
	if o.Country != nil && !strings.EqualFold(*o.Country, o.Region) {
		where += " (" + *o.Country + ")"
	}
	return where + ", " + o.SKU
}

// NativePrice is an offer's price as its source states it.
func NativePrice(o *schemas.Offer) string { return OrUnknown(o.NativePrice) + " " + o.NativeCurrency }

// PricedPer is what an offer's price as its source states it is for: "GPU-hour".
func PricedPer(o *schemas.Offer) string { return Per(o.PriceBasis) }

// Per is what a price of a basis is for: "GPU-hour".
func Per(basis string) string {
	return strings.NewReplacer("per_", "", "gpu", "GPU", "_", "-").Replace(basis)
}

// Baseline compares a plan of several stages with the whole job in one place; ""
// for a plan of one stage.
func Baseline(p *schemas.Plan, currency string) string {
	switch {
	case len(p.Stages) == 1:
		return ""
	case p.Baseline == nil || p.SavingsPct == nil:
		return "none; the whole job can't run on the main stage's node."
	}
	verdict := "saves " + *p.SavingsPct + "%"
	if more, negative := strings.CutPrefix(*p.SavingsPct, "-"); negative {
		verdict = "costs " + more + "% more"
	}
	return fmt.Sprintf("%s; %s %s. The plan %s.", p.Baseline.Description, Rounded(p.Baseline.Total, currency), currency, verdict)
}

// Days shows an age.
func Days(age *int) string {
	if age == nil {
		return "unknown"
	}
	return strconv.Itoa(*age)
}

// OrUnknown shows a text that may be unknown.
func OrUnknown(text *string) string {
	if text == nil {
		return "unknown"
	}
	return *text
}

// Problem says what is wrong with a request, and where.
func Problem(p schemas.Problem) string {
	place := p.Parameter
	if place == "" {
		place = strings.ReplaceAll(strings.TrimPrefix(p.Pointer, "/"), "/", ".")
	}
	return strings.TrimPrefix(place+": "+p.Message, ": ")
}

// Quoted shows pieces of a text.
func Quoted(pieces []string) string {
	quoted := make([]string, len(pieces))
	for i, piece := range pieces {
		quoted[i] = strconv.Quote(piece)
	}
	return strings.Join(quoted, ", ")
}

// Meant asks whether misspelt words were others; "" if none looks so.
func Meant(suggestions []schemas.Suggestion) string {
	var words []string
	for _, s := range suggestions {
		words = append(words, s.Near...)
	}
	if len(words) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(words, ", ") + "?"
}

// Fields writes a request on one line: its fields by their dotted names. Nothing is "".
func Fields(request *schemas.RecommendRequest) string {
	if request == nil {
		return ""
	}
	document, err := json.Marshal(request)
	if err != nil {
		return ""
	}
	var fields []string
	in := json.NewDecoder(bytes.NewReader(document))
	flatten(in, "", &fields)
	return strings.Join(fields, ", ")
}

// flatten adds the fields of the value that comes next.
func flatten(in *json.Decoder, name string, fields *[]string) {
	token, err := in.Token()
	if err != nil {
		return
	}
	switch token {
	case json.Delim('{'):
		for in.More() {
			key, err := in.Token()
			if err != nil {
				return
			}
			flatten(in, strings.TrimPrefix(fmt.Sprintf("%s.%s", name, key), "."), fields)
		}
		_, _ = in.Token()
	case json.Delim('['):
		var items []string
		for in.More() {
			flatten(in, "", &items)
		}
		_, _ = in.Token()
		*fields = append(*fields, name+" "+strings.Join(items, "|"))
	default:
		*fields = append(*fields, strings.TrimSpace(fmt.Sprintf("%s %v", name, token)))
	}
}
