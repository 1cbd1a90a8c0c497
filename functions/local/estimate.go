package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// estimation is what "tierwise estimate" asks.
type estimation struct {
	request    schemas.EstimateRequest
	file       string
	language   string
	computedAt string
	json       bool
}

// estimate prints the fit, hours and cost of a job on named hardware.
func (p *program) estimate(ctx context.Context, args []string) error {
	q, err := p.estimation(args)
	if err != nil {
		return err
	}
	body, err := requestBody(p, source{q.file, q.language}, q.request)
	if err != nil {
		return err
	}
	answer, err := p.post(ctx, endpoint.EstimatePath, body, dated(q.computedAt))
	if err != nil {
		return err
	}
	text := answer.Body
	if !q.json {
		var response schemas.EstimateResponse
		if err := json.Unmarshal([]byte(answer.Body), &response); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		text = estimateText(&response)
	}
	_, err = io.WriteString(p.stdout, text)
	return err
}

// estimation reads the command line. Flags may stand before and after the model.
func (p *program) estimation(args []string) (estimation, error) {
	var q estimation
	work := &schemas.Workload{}
	flags := flag.NewFlagSet("estimate", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&q.json, "json", false, "")
	flags.StringVar(&q.file, "file", "", "")
	flags.StringVar(&q.computedAt, "computed-at", "", "")
	flags.Func("language", "", oneOf(&q.language, "en", "zh"))
	flags.StringVar(&q.request.OfferID, "offer", "", "")
	hardware := flags.String("on", "", "")
	kind := flags.String("kind", "finetune", "")
	flags.StringVar(&work.Method, "method", "", "")
	flags.StringVar(&work.Framework, "framework", "", "")
	flags.StringVar(&work.Precision, "precision", "", "")
	flags.StringVar(&work.Optimizer, "optimizer", "", "")
	flags.Func("tokens-b", "", func(text string) error { work.TokensB = &text; return nil })
	flags.Func("seq-len", "", wholeNumber(&work.SeqLen))
	flags.Func("micro-batch", "", wholeNumber(&work.MicroBatch))
	models, err := interleaved(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.stdout, usage)
		return q, err
	case err != nil:
		return q, usageError{"estimate: " + err.Error()}
	case q.file != "" && (len(models) > 0 || *hardware != "" || q.request.OfferID != ""):
		return q, usageError{"estimate: want either --file or a model and --on or --offer, not both"}
	case q.file != "":
		return q, nil
	case len(models) == 0 || *hardware == "" && q.request.OfferID == "":
		return q, usageError{"estimate: want a model and the hardware, such as llama-2-7b --on 4xA100-80GB-SXM, or --file"}
	}
	work.Kind, work.Model = *kind, modelNamed(strings.Join(models, " "))
	q.request.Workload = work
	if *hardware != "" {
		q.request.Hardware = hardwareNamed(*hardware)
	}
	return q, nil
}

// wholeNumber reads a flag into an optional number.
func wholeNumber(into **int) func(string) error {
	return func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("want a whole number")
		}
		*into = &n
		return nil
	}
}

var (
	sizeAlone    = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)[bB]$`)
	countAndKind = regexp.MustCompile(`^([0-9]+) ?[xX×] ?(.+)$`)
)

// modelNamed reads "7B" as a size and anything else as a name.
func modelNamed(text string) *schemas.Model {
	if m := sizeAlone.FindStringSubmatch(text); m != nil {
		return &schemas.Model{ParamsB: &m[1]}
	}
	return &schemas.Model{Name: text}
}

// hardwareNamed reads "4xA100-80GB-SXM".
func hardwareNamed(text string) *schemas.EstimatedHardware {
	m := countAndKind.FindStringSubmatch(text)
	if m == nil {
		return &schemas.EstimatedHardware{GPU: text}
	}
	count, err := strconv.Atoi(m[1])
	if err != nil { // more digits than any count
		return &schemas.EstimatedHardware{GPU: text}
	}
	return &schemas.EstimatedHardware{GPU: m[2], GPUCount: &count}
}

// estimateText is an estimate for people.
func estimateText(r *schemas.EstimateResponse) string {
	h := r.Hardware
	text := fmt.Sprintf("%s on %d x %s", r.Stage, h.GPUCount, h.GPU)
	if h.Nodes > 1 {
		text += fmt.Sprintf(" in %d nodes", h.Nodes)
	}
	if r.Fit != nil {
		text += ": " + strings.ReplaceAll(*r.Fit, "_", " ")
	}
	text += "\n\n"
	text += fmt.Sprintf("Hours: %s (80%% of the time between %s and %s)\n", display.Short(r.Hours.Expected), display.Short(r.Hours.Low), display.Short(r.Hours.High))
	text += speedText(r.Speed) + servingText(r.Serving) + relativeText(r.Relative)
	if r.Cost != nil {
		text += fmt.Sprintf("Cost: %s on %s\n", money(r.Cost.Total, r.Currency), r.Offer.ID)
	} else if r.Unpriced != nil {
		text += "Cost: unknown: " + display.Reason(*r.Unpriced) + "\n"
	}
	if r.Memory != nil {
		text += "\n" + peakTable(r.Memory) + smallestText(r)
	}
	text += "\n" + software(&schemas.Plan{Environment: r.Environment})
	if len(r.Warnings) > 0 {
		text += "\nWarnings\n"
	}
	for _, w := range r.Warnings {
		text += wrap("  - ", "    ", w.Message+" ["+w.Code+"]")
	}
	return text + assumed(&schemas.RecommendResponse{Assumptions: r.Assumptions})
}

// money writes an amount with its currency.
func money(total, currency string) string { return display.Rounded(total, currency) + " " + currency }

// speedText is how fast tokens are worked on; nothing for work without any.
func speedText(s *schemas.Speed) string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("%s tokens/s per GPU, %s in all; MFU %s", s.TokensPerSecondPerGPU, s.TokensPerSecond, display.Short(s.MFU))
	if s.HoursOnPaper != nil {
		text += fmt.Sprintf("; on paper (FLOPs at 40%% of the peak) %s hours", *s.HoursOnPaper)
	}
	return wrap("Speed: ", "  ", text)
}

// relativeText is how the GPU compares with the one that the work was timed on;
// nothing for other work.
func relativeText(s *schemas.RelativeSpeed) string {
	if s == nil {
		return ""
	}
	basis := map[string]string{
		"same_gpu": "the same GPU", "measured": "both were measured", "fp32_rates": "by FP32 rates, not measured",
		"specification": "by peak and memory bandwidth, not measured",
	}
	return wrap("Speed: ", "  ", fmt.Sprintf("%s times that of %s, %s; a task takes %s s", s.Speed, s.ReferenceGPU, basis[s.Basis], s.TaskSeconds))
}

// servingText is how requests are answered; nothing for training.
func servingText(s *schemas.Serving) string {
	if s == nil {
		return ""
	}
	text := wrap("Serving: ", "  ", fmt.Sprintf(
		"%d requests at a time in %s; first token after %s ms, then one every %s ms; a full batch's answers after %s ms",
		s.Batch, s.Weights, s.FirstTokenMS, s.TokenMS, s.AnswerMS))
	if s.CostPerMillionTokens != nil {
		text += "Cost per million tokens: " + *s.CostPerMillionTokens + "\n"
	}
	return text
}

// peakTable is the peak memory per GPU in its parts.
func peakTable(m *schemas.EstimatedMemory) string {
	p := m.Parts
	var rows [][]string
	for _, part := range []struct{ name, gb string }{
		{"weights", p.Weights}, {"gradients", p.Gradients}, {"optimizer", p.Optimizer}, {"adapters", p.Adapters},
		{"activations", p.Activations}, {"logits", p.Logits}, {"keys and values", p.KVCache},
		{"gathered layers, buffers", p.Gather}, {"CUDA, allocator", p.Overhead},
	} {
		if !display.Exact(part.gb).IsZero() {
			rows = append(rows, []string{part.name, display.Short(part.gb)})
		}
	}
	rows = append(rows, []string{"expected", display.Short(m.ExpectedGB)}, []string{"with the margin", display.Short(m.RequiredGB)}, []string{"of", display.Short(m.PerGPUGB)})
	return table([]column{{title: "memory per GPU"}, {title: "GB", right: true}}, rows)
}

// smallestText says how many GPUs suffice.
func smallestText(r *schemas.EstimateResponse) string {
	switch {
	case r.Smallest == nil:
		return "It does not fit on any number of them up to 512.\n"
	case r.Smallest.GPUCount == r.Hardware.GPUCount:
		return ""
	default:
		return fmt.Sprintf("The fewest that it fits on: %d.\n", r.Smallest.GPUCount)
	}
}
