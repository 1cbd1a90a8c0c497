package accuracy

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Row is one published run or measurement. A number that the file leaves empty is
// NaN.
type Row struct {
	ID, Kind, Model      string
	ParamsB              float64 // 10^9 parameters
	ActiveParamsB        float64 // 10^9 parameters that one token passes through
	TokensB              float64 // 10^9 tokens, all epochs
	SeqLen               float64 // tokens per sequence
	BatchTokens          float64 // tokens per optimizer step over all GPUs; requests at a time in inference
	Precision, GPU       string
	GPUs, Nodes          float64
	Interconnect, Notes  string
	Source               string
	measuredGPUHours     float64
	measuredTokensPerSec float64 // per GPU
	measuredPeakGB       float64
	unreadable           bool // a number that is none
}

// columns are the names that the file's header must have.
func columns() []string {
	return strings.Split("id,kind,model,params_b,active_params_b,tokens_b,seq_len,batch_tokens,precision,gpu,gpu_count,nodes,"+
		"interconnect,hours,gpu_hours,tokens_per_s_per_gpu,mfu,peak_mem_gb,cost_usd,notes,source", ",")
}

// Read reads a file of published runs: CSV with a header of the columns' names, in
// any order. It is an error if a column is missing or the CSV is malformed.
func Read(file io.Reader) ([]Row, error) {
	in := csv.NewReader(file)
	in.FieldsPerRecord = -1 // a short or long record is reported by its line, below
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("read published runs: the file is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("read published runs: %w", err)
	}
	at := make(map[string]int, len(header))
	for i, name := range header {
		at[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i
	}
	for _, name := range columns() {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("read published runs: no column %q", name)
		}
	}
	return records(in, at, len(header))
}

// records reads the rows after the header.
func records(in *csv.Reader, at map[string]int, width int) ([]Row, error) {
	var rows []Row
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read published runs: %w", err)
		}
		if len(cells) != width {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("read published runs: line %d has %d cells, want %d", line, len(cells), width)
		}
		rows = append(rows, rowOf(func(column string) string { return strings.TrimSpace(cells[at[column]]) }))
	}
}

// rowOf reads one record through its cells by column.
func rowOf(cell func(string) string) Row {
	r := Row{
		ID: cell("id"), Kind: cell("kind"), Model: cell("model"), Precision: cell("precision"), GPU: cell("gpu"),
		Interconnect: cell("interconnect"), Notes: cell("notes"), Source: cell("source"),
	}
	number := func(column string) float64 {
		text := cell(column)
		if text == "" {
			return math.NaN()
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || x < 0 {
			r.unreadable = true
			return math.NaN()
		}
		return x
	}
	r.ParamsB, r.ActiveParamsB, r.TokensB = number("params_b"), number("active_params_b"), number("tokens_b")
	r.SeqLen, r.BatchTokens = number("seq_len"), number("batch_tokens")
	r.GPUs, r.Nodes = number("gpu_count"), number("nodes")
	r.measuredGPUHours, r.measuredTokensPerSec = number("gpu_hours"), number("tokens_per_s_per_gpu")
	r.measuredPeakGB = number("peak_mem_gb")
	return r
}

var (
	repository = regexp.MustCompile(`^github:([^@]+)@`)
	scheme     = regexp.MustCompile(`^https?://(www\.)?`)
)

// origin is what counts as one source: a repository, else a host.
func (r *Row) origin() string {
	first, _, _ := strings.Cut(r.Source, ";")
	first = strings.TrimSpace(first)
	if m := repository.FindStringSubmatch(first); m != nil {
		return m[1]
	}
	host, _, _ := strings.Cut(scheme.ReplaceAllString(first, ""), "/")
	return host
}

// known reports whether a number was given.
func known(x float64) bool { return !math.IsNaN(x) }

// or is x, or another value where x was not given.
func or(x, otherwise float64) float64 {
	if known(x) {
		return x
	}
	return otherwise
}
