package near

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	known := []string{"RTX-4090-24GB", "H100", "A100", "A10", "H100-80GB-SXM", "H200", "us-east-1", "us-east-2", "us-west-1", "L4", ""}
	for _, c := range []struct {
		name, given string
		want        string
	}{
		{"one letter wrong", "H10O", "H100"},
		{"case and punctuation", "us_EAST 1", "us-east-1 us-east-2 us-west-1"},
		{"a part", "4090", "RTX-4090-24GB"},
		{"the likeliest first", "us-eest-1", "us-east-1 us-west-1 us-east-2"},
		{"nothing like it", "quantum", ""},
		{"nothing but punctuation", "--", ""},
		{"one letter is no match for another", "Z", ""},
		{"another script", "显卡", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			backwards := slices.Clone(known)
			slices.Reverse(backwards)
			for _, order := range [][]string{known, backwards} {
				got := strings.Join(Names(c.given, order), " ")
				if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
					t.Errorf("Names(%q) = %q, want %q", c.given, got, c.want)
				}
			}
		})
	}
}

func TestNamesAreFewAndOnce(t *testing.T) {
	got := Names("gpu", []string{"gpu1", "gpu2", "gpu3", "gpu4", "gpu1"})
	if want := []string{"gpu1", "gpu2", "gpu3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
