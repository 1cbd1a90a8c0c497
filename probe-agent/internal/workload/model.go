package workload

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
)

// Typed is what a text that is sent as the user typed it may hold.
var Typed = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._/:+-]{0,63}$`)

var (
	precisions = []string{"fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int4"}
	phases     = []string{"train", "prefill", "decode"}
)

// ParseModel reads a model's shape:
// name=llama-2-7b,params_b=7,layers=32,hidden=4096,heads=32,seq_len=2048,precision=bf16,phase=train.
func ParseModel(text string) (*report.WorkModel, error) {
	var m report.WorkModel
	for _, pair := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			return nil, fmt.Errorf("model: %q is not key=value", pair)
		}
		if err := setModel(&m, key, value); err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
	}
	return &m, nil
}

func setModel(m *report.WorkModel, key, value string) (err error) {
	switch key {
	case "name":
		if !Typed.MatchString(value) {
			return fmt.Errorf("name %q: want letters, digits and . _ / : + -", value)
		}
		m.Name = value
	case "params_b":
		m.ParamsB, err = strconv.ParseFloat(value, 64)
		if err != nil || !(m.ParamsB > 0 && m.ParamsB < 1e6) {
			return fmt.Errorf("params_b %q: want billions of parameters", value)
		}
	case "layers":
		m.Layers, err = count(key, value)
	case "hidden":
		m.Hidden, err = count(key, value)
	case "heads":
		m.Heads, err = count(key, value)
	case "seq_len":
		m.SeqLen, err = count(key, value)
	case "precision":
		m.Precision, err = oneOf(key, value, precisions)
	case "phase":
		m.Phase, err = oneOf(key, value, phases)
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return err
}

func count(key, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n <= 0 || n > 1e9 {
		return 0, fmt.Errorf("%s %q: want a whole number from 1", key, value)
	}
	return n, nil
}

func oneOf(key, value string, known []string) (string, error) {
	if !slices.Contains(known, value) {
		return "", fmt.Errorf("%s %q: want one of %v", key, value, known)
	}
	return value, nil
}
