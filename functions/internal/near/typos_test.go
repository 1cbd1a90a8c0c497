package near

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTypos(t *testing.T) {
	known := []string{"finetune", "pretrain", "qlora", "lora", "gcp", "cheapest", "spot", "微调", "Lambda", "lambda labs", "fine tune"}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"fientune", []string{"finetune"}},
		{"finetun", []string{"finetune"}},
		{"pretrian", []string{"pretrain"}},
		{"qlroa", []string{"qlora"}},
		{"gpc", []string{"gcp"}},
		{"cheapst", []string{"cheapest"}},
		{"lamda", []string{"Lambda"}},
		{"lora", []string{"qlora"}},
		{"pt", nil},
		{"sandwich", nil},
		{"微条", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(c.want, Typos(c.name, known)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.name, diff)
		}
	}
}
