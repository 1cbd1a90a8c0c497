package bot

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// The longest texts that Slack takes, in characters.
const (
	mostHeader  = 150
	mostSection = 3000
	mostField   = 2000
	mostImage   = 3000
)

// mostWarnings is how many warnings an answer shows; details show all.
const mostWarnings = 5

// planMessage is the best plan of an answer, for everyone in the channel. base is where
// pictures are, "" for none.
func planMessage(r *schemas.RecommendResponse, w words, base string) slack.WebhookMessage {
	if len(r.Plans) == 0 {
		return noPlan(r, w)
	}
	p := &r.Plans[0]
	bill := display.BillOf(p, r.Currency)
	title := bill.Total + " " + r.Currency + " · " + fmt.Sprintf(w.expected, display.Short(p.Hours))
	blocks := append([]slack.Block{header(title)}, understanding(r, w)...)
	blocks = append(blocks, section(stageLines(p, bill, r.Currency, w)), costs(bill, r.Currency, w))
	if text := savings(p, r.Currency, w); text != "" {
		blocks = append(blocks, section(text))
	}
	if p.Why != "" {
		blocks = append(blocks, section(w.why+"\n"+escape(p.Why)))
	}
	if text := warningLines(p.Warnings, w, mostWarnings); text != "" {
		blocks = append(blocks, section(text))
	}
	if picture := pictureOf(r, w, base); picture != nil {
		blocks = append(blocks, picture)
	}
	blocks = append(blocks, note(ages(r, p, w)))
	if r.Interpreted != nil {
		if row := buttons(r.Interpreted, p.Hours, w); row != nil {
			blocks = append(blocks, row)
		} else {
			blocks = append(blocks, note(w.missing))
		}
	}
	return message(slack.ResponseTypeInChannel, title, blocks)
}

// understanding is what was read of a text, and what was not.
func understanding(r *schemas.RecommendResponse, w words) []slack.Block {
	var lines []string
	if text := display.Fields(r.Interpreted); text != "" {
		lines = append(lines, w.understood+escape(text))
	}
	if len(r.NotUnderstood) > 0 {
		lines = append(lines, w.notUnderstood+escape(display.Quoted(r.NotUnderstood))+meant(r.Suggestions, w))
	}
	if len(lines) == 0 {
		return nil
	}
	return []slack.Block{section(strings.Join(lines, "\n"))}
}

// meant asks whether misspelt words were others.
func meant(suggestions []schemas.Suggestion, w words) string {
	var near []string
	for _, s := range suggestions {
		near = append(near, s.Near...)
	}
	if len(near) == 0 {
		return ""
	}
	return " " + w.meant + "`" + escape(strings.Join(near, "`, `")) + "`?"
}

// stageLines is a line for each stage.
func stageLines(p *schemas.Plan, bill display.Bill, currency string, w words) string {
	lines := []string{w.stages}
	for i := range p.Stages {
		s := &p.Stages[i]
		lines = append(lines, fmt.Sprintf("• *%s*: %s, %s, %s: %s h, *%s %s*", escape(s.Name), escape(display.Hardware(s)), escape(display.OfferName(&s.Offer)),
			strings.ReplaceAll(s.Offer.PurchaseModel, "_", " "), display.Short(s.Hours.Expected), bill.Stages[i], currency))
	}
	return strings.Join(append(lines, fmt.Sprintf(w.p95, display.Short(p.HoursP95))), "\n")
}

// costs is the cost by line.
func costs(bill display.Bill, currency string, w words) slack.Block {
	var fields []*slack.TextBlockObject
	for i, line := range bill.Lines {
		fields = append(fields, field(line+": "+bill.Sums[i]))
	}
	fields = append(fields, field("*"+w.total+": "+bill.Total+"*"))
	return slack.NewSectionBlock(marked(fmt.Sprintf(w.cost, currency)), fields, nil)
}

// savings compares a plan with its baseline; "" where there is none.
func savings(p *schemas.Plan, currency string, w words) string {
	if p.Baseline == nil || p.SavingsPct == nil || len(p.Stages) == 1 {
		return ""
	}
	baseline := display.Rounded(p.Baseline.Total, currency) + " " + currency + ": " + escape(p.Baseline.Description)
	if more, negative := strings.CutPrefix(*p.SavingsPct, "-"); negative {
		return fmt.Sprintf(w.costsMore, more, baseline)
	}
	return fmt.Sprintf(w.saves, *p.SavingsPct, baseline)
}

// warningLines is a line for each warning, and how many more there are than most; ""
// without any.
func warningLines(warnings []schemas.Warning, w words, most int) string {
	if len(warnings) == 0 {
		return ""
	}
	lines := []string{w.warnings}
	for _, warning := range warnings[:min(most, len(warnings))] {
		lines = append(lines, "• "+escape(warning.Message)+" `"+warning.Code+"`")
	}
	if rest := len(warnings) - most; rest > 0 {
		lines = append(lines, "• "+fmt.Sprintf(w.more, rest))
	}
	return strings.Join(lines, "\n")
}

// pictureOf is the picture of the best plan; nil if there is none that Slack can get.
func pictureOf(r *schemas.RecommendResponse, w words, base string) slack.Block {
	if r.Charts == nil || r.Charts.Plan == "" || !strings.HasPrefix(base, "https://") {
		return nil
	}
	address := strings.TrimSuffix(base, "/") + r.Charts.Plan
	if len(address) > mostImage {
		return nil
	}
	return slack.NewImageBlock(address, w.chart, "", nil)
}

// ages says how old the prices of a plan are.
func ages(r *schemas.RecommendResponse, p *schemas.Plan, w words) string {
	var oldest *schemas.Offer
	text := ""
	for i := range p.Stages {
		o := &p.Stages[i].Offer
		switch {
		case o.AsOf == nil || o.AgeDays == nil:
			text = w.noPrice + " · "
		case oldest == nil || *o.AgeDays > *oldest.AgeDays:
			oldest = o
		}
	}
	if oldest != nil {
		text += fmt.Sprintf(w.oldest, *oldest.AsOf, *oldest.AgeDays) + " · "
	}
	return text + fmt.Sprintf(w.catalogue, r.CatalogVersion) + " · " + r.ComputedAt
}

// message is a message of blocks, with a text for where blocks can't be shown.
func message(to, text string, blocks []slack.Block) slack.WebhookMessage {
	return slack.WebhookMessage{ResponseType: to, Text: text, Blocks: &slack.Blocks{BlockSet: blocks}}
}

// header is a title.
func header(text string) slack.Block {
	return slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, clip(text, mostHeader), false, false))
}

// section is a paragraph.
func section(text string) slack.Block { return slack.NewSectionBlock(marked(text), nil, nil) }

// note is small print.
func note(text string) slack.Block { return slack.NewContextBlock("", marked(text)) }

// marked is a text with Slack's marks. What is not ours in it is escaped.
func marked(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.MarkdownType, clip(text, mostSection), false, false)
}

// field is a short text beside others.
func field(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.MarkdownType, clip(text, mostField), false, false)
}

// plain is a text without marks.
func plain(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
}

// clip shortens a text to a number of characters. A long one ends at the end of a line
// if there is one near.
func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	short := string([]rune(text)[:most-2])
	if end := strings.LastIndex(short, "\n"); end > len(short)*2/3 {
		short = short[:end+1]
	}
	return short + "…"
}

// escape writes a text so that Slack shows it as it is.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
