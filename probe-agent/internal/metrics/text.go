package metrics

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// label is a label's name and value.
type label struct{ name, value string }

// writer writes the text format.
type writer struct{ out *bytes.Buffer }

// family writes a metric of all GPUs; nothing if no GPU has it.
func (w writer) family(f family, gpus []gpu) {
	started := false
	for i := range gpus {
		for _, r := range f.rows(&gpus[i]) {
			if !started {
				w.head(f.name, f.kind, f.help)
				started = true
			}
			labels := append([]label{{"gpu", gpus[i].index}, {"id", gpus[i].facts.GPU}}, r.labels...)
			w.sample(f.name, labels, r.value)
		}
	}
}

func (w writer) head(name, kind, help string) {
	fmt.Fprintf(w.out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// single writes a gauge without labels.
func (w writer) single(name, help string, value float64) {
	w.head(name, "gauge", help)
	w.sample(name, nil, value)
}

func (w writer) sample(name string, labels []label, value float64) {
	w.out.WriteString(name)
	for i, l := range labels {
		w.out.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(w.out, `%s="%s"`, l.name, escape(l.value))
	}
	if len(labels) > 0 {
		w.out.WriteByte('}')
	}
	w.out.WriteByte(' ')
	w.out.WriteString(strconv.FormatFloat(value, 'g', -1, 64))
	w.out.WriteByte('\n')
}

// escape writes a label's value as the format wants it.
func escape(value string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(value, "?"))
}
