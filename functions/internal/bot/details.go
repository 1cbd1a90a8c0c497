package bot

import (
	"fmt"
	"strings"

	"github.com/slack-go/slack"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// detailMessage is the best plan in full, for the one who asked.
func detailMessage(r *schemas.RecommendResponse, w words) slack.WebhookMessage {
	if len(r.Plans) == 0 {
		return noPlan(r, w)
	}
	p := &r.Plans[0]
	bill := display.BillOf(p, r.Currency)
	title := bill.Total + " " + r.Currency + " · " + fmt.Sprintf(w.expected, display.Short(p.Hours))
	blocks := []slack.Block{header(title), section(stageLines(p, bill, r.Currency, w)), section("```" + grid(p, bill, w) + "```")}
	for _, part := range []struct {
		title string
		lines []string
	}{
		{w.moves, moveLines(p, r.Currency)}, {w.flips, p.Flips}, {w.prices, priceLines(p)},
		{w.alternatives, otherLines(r)}, {w.assumptions, assumptionLines(r)},
	} {
		if len(part.lines) > 0 {
			blocks = append(blocks, section(part.title+"\n• "+strings.Join(escaped(part.lines), "\n• ")))
		}
	}
	if text := warningLines(p.Warnings, w, len(p.Warnings)); text != "" {
		blocks = append(blocks, section(text))
	}
	return message(slack.ResponseTypeEphemeral, title, blocks)
}

// escaped are lines as Slack shows them as they are.
func escaped(lines []string) []string {
	var safe []string
	for _, line := range lines {
		safe = append(safe, escape(line))
	}
	return safe
}

// grid is the cost by stage and line.
func grid(p *schemas.Plan, bill display.Bill, w words) string {
	text := fmt.Sprintf("%-12s", "")
	for i := range p.Stages {
		text += fmt.Sprintf(" %12s", clip(p.Stages[i].Name, 12))
	}
	for line, name := range bill.Lines {
		text += fmt.Sprintf("\n%-12s", name)
		for i := range p.Stages {
			text += fmt.Sprintf(" %12s", bill.Cells[i][line])
		}
	}
	text += fmt.Sprintf("\n%-12s", w.total)
	for _, total := range bill.Stages {
		text += fmt.Sprintf(" %12s", total)
	}
	return text
}

// moveLines is a line for each move of data.
func moveLines(p *schemas.Plan, currency string) []string {
	var lines []string
	for _, m := range p.Moves {
		lines = append(lines, fmt.Sprintf("%s GB, %s → %s: %s h, %s %s", display.Short(m.GB), m.From, m.To, display.Short(m.Hours), display.Rounded(m.Cost, currency), currency))
	}
	return lines
}

// priceLines is a line for each price, with its age and source.
func priceLines(p *schemas.Plan) []string {
	var lines []string
	for i := range p.Stages {
		o := &p.Stages[i].Offer
		lines = append(lines, fmt.Sprintf("%s: %s / %s, %s (%s d), %s", p.Stages[i].Name, display.NativePrice(o), display.PricedPer(o), display.OrUnknown(o.AsOf), display.Days(o.AgeDays), o.Source))
	}
	return lines
}

// otherLines is a line for each plan but the best.
func otherLines(r *schemas.RecommendResponse) []string {
	var lines []string
	for i := 1; i < len(r.Plans); i++ {
		p := &r.Plans[i]
		main := &p.Stages[0]
		for k := range p.Stages {
			if p.Stages[k].GPUs > main.GPUs {
				main = &p.Stages[k]
			}
		}
		lines = append(lines, fmt.Sprintf("%s %s, %s h: %s, %s, %s", display.Rounded(p.Total, r.Currency), r.Currency, display.Short(p.Hours),
			display.Hardware(main), display.OfferName(&main.Offer), strings.ReplaceAll(main.Offer.PurchaseModel, "_", " ")))
	}
	return lines
}

// assumptionLines is a line for each value that nobody stated.
func assumptionLines(r *schemas.RecommendResponse) []string {
	var lines []string
	for _, a := range r.Assumptions {
		lines = append(lines, a.Field+" "+a.Value+": "+a.Why)
	}
	return lines
}
