package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestQuarantineCommand(t *testing.T) {
	for name, where := range stores(t) {
		t.Run(name, func(t *testing.T) {
			command(t, where, exitUsage, "quarantine", "list", "--feed", "skypilot/lambda")
			out, _ := command(t, where, exitOK, "quarantine", "list")
			says(t, out, "No row is held")
			file := fileOf(t, "lambda", lambdaTable)
			command(t, where, exitOK, "import", "--feed", "skypilot", file)
			cheap := fileOf(t, "lambda", strings.Replace(lambdaTable, "0.75", "0.07", 1))
			out, _ = command(t, where, exitOK, "import", "--feed", "skypilot", cheap)
			says(t, out, "held            2", "price_drop 1", "quarantine list --feed")
			out, _ = command(t, where, exitOK, "quarantine", "list", "--feed", "skypilot/lambda")
			says(t, out, "price_drop", "0.07 USD an hour where it was 0.75 USD an", "a drop of more than 80%",
				"lambda.us-east-1.gpu_1x_a100.on_demand", "column Price", "N/A", "1 others are noted")
			checkWidth(t, out)
			only, _ := command(t, where, exitOK, "quarantine", "list", "--reason", "unreadable", "--limit", "1")
			if strings.Contains(only, "price_drop") {
				t.Errorf("of one reason:\n%s", only)
			}
			out, _ = command(t, where, exitOK, "quarantine", "list", "--all", "--limit", "0")
			says(t, out, "and 3 more")
			ids := regexp.MustCompile(`(?m)^  ([0-9a-f]{12})\s.*(unreadable|price_drop)`).FindAllStringSubmatch(only+must(t, where, "quarantine", "list", "--reason", "price_drop"), -1)
			if len(ids) != 2 {
				t.Fatalf("ids %q", ids)
			}
			_, errs := command(t, where, exitError, "quarantine", "release", ids[0][1])
			says(t, errs, "nobody can read it", "N/A")
			out, _ = command(t, where, exitOK, "quarantine", "release", ids[1][1])
			says(t, out, "skypilot/lambda: 1 released", "is current")
			out, _ = command(t, where, exitOK, "import", "--feed", "skypilot", cheap)
			says(t, out, "as before 3", "stays current")
			out, _ = command(t, where, exitOK, "quarantine", "list", "--all")
			says(t, out, "released")
			command(t, where, exitError, "quarantine", "release", "000000000000")
		})
	}
	for _, wrong := range [][]string{{}, {"drop"}, {"list", "x"}, {"release"}} {
		command(t, []string{"--data", t.TempDir()}, exitUsage, append([]string{"quarantine"}, wrong...)...)
	}
}

// must is what a command prints.
func must(t *testing.T, where []string, args ...string) string {
	t.Helper()
	out, _ := command(t, where, exitOK, args...)
	return out
}

func TestDiffCommand(t *testing.T) {
	where := []string{"--data", t.TempDir()}
	command(t, where, exitError, "diff", "embedded", "current")
	must(t, where, "import", "--feed", "skypilot", fileOf(t, "lambda", lambdaTable))
	version := regexp.MustCompile(`\S+\+\S+`).FindString(must(t, where, "catalog", "versions"))
	changed := strings.NewReplacer("0.75", "0.85", "gpu_1x_q900", "gpu_2x_q900", "1800.0", "2000.0").Replace(lambdaTable)
	must(t, where, "import", "--feed", "skypilot", fileOf(t, "lambda", changed))
	out := must(t, where, "diff", version, "current")
	says(t, out, "From "+version, "1 prices changed, 1 offers are new, 0 are gone, 1 changed otherwise",
		"lambda.us-east-1.gpu_1x_a100.on_demand  0.75 USD/h  0.85 USD/h  +13.3", "lambda.us-east-1.gpu_2x_q900.on_demand")
	checkWidth(t, out)
	says(t, must(t, where, "diff", "current", version), "-11.8", "1 are gone")
	says(t, must(t, where, "diff", "current", "current"), "0 prices changed, 0 offers are new")
	says(t, must(t, where, "diff", version, "current", "--provider", "lambda", "--limit", "0"), "and 1 more")
	if out := must(t, where, "diff", version, "current", "--provider", "aws"); !strings.Contains(out, "0 prices changed") && !strings.Contains(out, "no provider") {
		t.Errorf("of another provider:\n%s", out)
	}
	_, errs := command(t, where, exitError, "diff", "never", "current")
	says(t, errs, "catalog versions")
	command(t, where, exitUsage, "diff", "current")
	command(t, where, exitUsage, "diff", "current", "current", "--provider", "nobody")
}
