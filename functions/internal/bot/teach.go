package bot

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slack-go/slack"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// samples are questions to try.
func samples(w words) string {
	asked := []string{"cheapest 7B fine-tune", "qlora 70b under $200 in 24h, eu only, no spot", "8xH100 for a week",
		"serve llama-3-8b, 10 qps for 8 hours", "render 2400 frames at 90 seconds per frame on an RTX 4090", "help"}
	if w.chinese {
		asked = []string{"最便宜的7B微调", "qlora 70b 预算200美元 两天内 只要欧盟 不要竞价", "8张H100租一周",
			"部署 llama-3-8b，每秒10次请求，8小时", "渲染2400帧，每帧90秒，RTX 4090", "帮助"}
	}
	lines := []string{w.examples}
	for _, text := range asked {
		lines = append(lines, "• `/tierwise "+text+"`")
	}
	return strings.Join(lines, "\n")
}

// help says what can be asked.
func help(w words) slack.WebhookMessage {
	return message(slack.ResponseTypeEphemeral, w.helpTitle, []slack.Block{header(w.helpTitle), section(w.helpText), section(samples(w))})
}

// refused says why there is no answer, and what would make one. An error that is not
// the author's is told in a fixed sentence.
func refused(w words, err error) slack.WebhookMessage {
	if text, ok := errors.AsType[*apigw.TextError](err); ok {
		lines := problemLines(text.Reason, text.Problems)
		if understood := display.Fields(&text.Interpreted); understood != "" {
			lines = append(lines, w.understood+escape(understood))
		}
		if len(text.NotUnderstood) > 0 {
			lines = append(lines, w.notUnderstood+escape(display.Quoted(text.NotUnderstood))+meant(text.Suggestions, w))
		}
		return taught(lines, w)
	}
	if invalid, ok := errors.AsType[*schemas.ValidationError](err); ok {
		return taught(problemLines("", invalid.Problems), w)
	}
	return whisper(w.failed)
}

// problemLines is a line for each problem, or the reason if there are none.
func problemLines(reason string, problems []schemas.Problem) []string {
	if len(problems) == 0 {
		return []string{escape(reason)}
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, "• "+escape(display.Problem(p)))
	}
	return lines
}

// taught is what went wrong with examples of what does not.
func taught(lines []string, w words) slack.WebhookMessage {
	text := strings.Join(lines, "\n")
	return message(slack.ResponseTypeEphemeral, clip(text, mostSection), []slack.Block{section(text), section(samples(w))})
}

// noPlan says which constraints to relax.
func noPlan(r *schemas.RecommendResponse, w words) slack.WebhookMessage {
	blocks := append([]slack.Block{header(w.noPlan)}, understanding(r, w)...)
	var lines []string
	for _, n := range r.Nearest {
		lines = append(lines, "• "+fmt.Sprintf(w.nearest, n.Field, escape(n.Value), escape(n.Why)))
	}
	for _, x := range r.Rejected {
		lines = append(lines, fmt.Sprintf("• %s: %d × %s", escape(x.Stage), x.Count, escape(display.Reason(x.Reason))))
	}
	if len(lines) > 0 {
		blocks = append(blocks, section(strings.Join(lines, "\n")))
	}
	return message(slack.ResponseTypeEphemeral, w.noPlan, blocks)
}
