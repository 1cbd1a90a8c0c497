package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/tierwise/tierwise/functions/internal/accuracy"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// accuracy holds the estimator against a file of published runs.
func (p *program) accuracy(args []string) error {
	var asJSON, calibrate bool
	flags := flag.NewFlagSet("accuracy", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&asJSON, "json", false, "")
	flags.BoolVar(&calibrate, "calibrate", false, "")
	files, err := interleaved(flags, args)
	if err != nil {
		return usageError{"accuracy: " + err.Error()}
	}
	if len(files) != 1 {
		return usageError{"accuracy: want one file of published runs"}
	}
	rows, err := readRuns(files[0])
	if err != nil {
		return err
	}
	snapshot, err := p.load()
	if err != nil {
		return fmt.Errorf("load catalogue: %w", err)
	}
	text := ""
	switch {
	case calibrate:
		text = calibrationText(accuracy.Calibrate(snapshot, rows))
	case asJSON:
		body, err := json.MarshalIndent(accuracy.Run(snapshot, rows), "", "  ")
		if err != nil {
			return fmt.Errorf("write figures: %w", err)
		}
		text = string(body) + "\n"
	default:
		text = accuracyText(accuracy.Run(snapshot, rows))
	}
	_, err = io.WriteString(p.stdout, text)
	return err
}

// interleaved parses flags before and after the other arguments, and returns those.
func interleaved(flags *flag.FlagSet, args []string) ([]string, error) {
	var others []string
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if args = flags.Args(); len(args) > 0 {
			others, args = append(others, args[0]), args[1:]
		}
	}
	return others, nil
}

// readRuns reads a file of published runs.
func readRuns(name string) ([]accuracy.Row, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read published runs: %w", err)
	}
	defer file.Close()
	return accuracy.Read(file)
}

// accuracyText is a report for people.
func accuracyText(r accuracy.Report) string {
	text := "Training time: errors are |ln(predicted / actual)|, 0.22 is a factor of 1.25\n"
	rows := [][]string{errorRow("all", r.Training.Errors)}
	for _, method := range slices.Sorted(maps.Keys(r.Training.ByMethod)) {
		rows = append(rows, errorRow(method, r.Training.ByMethod[method]))
	}
	rows = append(rows, errorRow("on paper: 6 N D at MFU 0.4", r.Training.Baselines["paper"]),
		errorRow("right FLOPs at MFU 0.4", r.Training.Baselines["right_flops"]))
	text += table(errorColumns(), rows)
	text += fmt.Sprintf("  %s of the rows lie in their own 80%% interval\n\n", shareText(r.Training.IntervalCoverage))
	text += sourcesText(r.Sources) + worstText(r.Worst) + memoryText(&r)
	text += fmt.Sprintf("\nInference, tokens per second: %d rows, median error %s; one request at a time: %d rows, %s\n",
		r.Inference.Rows, figureText(r.Inference.MdALE), r.SingleStreams.Rows, figureText(r.SingleStreams.MdALE))
	return text + skippedText(r.Skipped)
}

// errorColumns are the columns of a table of errors.
func errorColumns() []column {
	return []column{{title: "rows of"}, {title: "n", right: true}, {title: "sources", right: true}, {title: "macro", right: true},
		{title: "mean", right: true}, {title: "runs", right: true}, {title: "in 1.5x", right: true}, {title: "in 2x", right: true},
		{title: "p90", right: true}, {title: "bias", right: true}}
}

// errorRow is one line of it.
func errorRow(name string, e accuracy.Errors) []string {
	return []string{name, strconv.Itoa(e.Rows), strconv.Itoa(e.Sources), figureText(e.MacroMdALE), figureText(e.MeanOfSourceMedians),
		figureText(e.WholeRunsMdALE), shareText(e.Within1_5), shareText(e.Within2), factorText(e.P90Factor), factorText(e.BiasFactor)}
}

// sourcesText is a line for each source.
func sourcesText(sources []accuracy.SourceFigures) string {
	columns := []column{{title: "source"}, {title: "n", right: true}, {title: "median", right: true}, {title: "bias", right: true}, {title: "in interval", right: true}}
	var rows [][]string
	for _, s := range sources {
		rows = append(rows, []string{s.Source, strconv.Itoa(s.Rows), figureText(accuracy.Figure(s.MdALE)), factorText(accuracy.Figure(s.Bias)), strconv.Itoa(s.Covered)})
	}
	return table(columns, rows)
}

// worstText is the rows that are furthest off, in seconds per token and GPU.
func worstText(worst []accuracy.Score) string {
	columns := []column{{title: "worst rows"}, {title: "method"}, {title: "predicted", right: true}, {title: "actual", right: true}, {title: "factor", right: true}}
	var rows [][]string
	for i := range worst {
		s := &worst[i]
		rows = append(rows, []string{s.ID, s.Method, threeDigits(s.Predicted), threeDigits(s.Actual), factorText(accuracy.Figure(math.Exp(s.LogError())))})
	}
	return "\nSeconds per token and GPU\n" + table(columns, rows)
}

// memoryText is the figures of memory.
func memoryText(r *accuracy.Report) string {
	m, f := r.Memory, r.Fits
	text := fmt.Sprintf("\nPeak memory: %d rows, median error %s, %s predicted at 0.95 x measured or above, %d false \"fits\"\n",
		m.Rows, figureText(m.MdALE), shareText(m.CoveredShare), m.FalseFits)
	columns := []column{{title: "answer"}, {title: "ran", right: true}, {title: "ran out of memory", right: true}}
	var rows [][]string
	for fit := workload.Fits; ; fit-- {
		rows = append(rows, []string{fit.String(), strconv.Itoa(f.Ran[fit]), strconv.Itoa(f.RanOut[fit])})
		if fit == workload.DoesNotFit {
			return text + table(columns, rows)
		}
	}
}

// skippedText counts the rows that were left out, by reason.
func skippedText(skipped map[string]int) string {
	var rows [][]string
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		rows = append(rows, []string{strconv.Itoa(skipped[reason]), reason})
	}
	if len(rows) == 0 {
		return ""
	}
	return "\nLeft out\n" + table([]column{{title: "rows", right: true}, {title: "reason", most: 80}}, rows)
}

// calibrationText is the refitted constants and what they are worth.
func calibrationText(c accuracy.Calibration) string {
	text := "Fitted constants, as functions/internal/workload has them\n"
	for _, k := range c.Constants() {
		text += fmt.Sprintf("  %-20s %.4g (in use %.4g, expected %.4g)\n", k.Name, k.Fitted, k.InUse, k.Expected)
	}
	text += "\nTraining time: errors are |ln(predicted / actual)|\n" + table(errorColumns(), [][]string{
		errorRow("constants in use", c.Current), errorRow("refitted", c.Refitted), errorRow("each source left out", c.LeftOut)})
	return text + fmt.Sprintf("  %s of the rows lie in their own 80%% interval under constants fitted without their source\n", shareText(c.LeftOutCoverage))
}

// figureText writes an error to three decimals, or a dash.
func figureText(f accuracy.Figure) string { return figureOr(f, "%.3f", 1) }

// shareText writes a share.
func shareText(f accuracy.Figure) string { return figureOr(f, "%.0f%%", 100) }

// factorText writes a ratio.
func factorText(f accuracy.Figure) string { return figureOr(f, "x%.2f", 1) }

// threeDigits writes a small number.
func threeDigits(x float64) string { return fmt.Sprintf("%.3g", x) }

// figureOr formats a figure times a scale, or a dash where there is none.
func figureOr(f accuracy.Figure, format string, scale float64) string {
	if math.IsNaN(float64(f)) {
		return "-"
	}
	return fmt.Sprintf(format, float64(f)*scale)
}
