package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lambdaTable is a table of Lambda's in SkyPilot's format.
const lambdaTable = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n" +
	"gpu_1x_a100,A100,1.0,30.0,200.0,0.75,us-east-1,,\n" +
	"gpu_8x_a100,A100,8.0,124.0,1800.0,10.32,us-east-1,,\n" +
	"gpu_1x_q900,Q900,1.0,26.0,200.0,0.5,us-east-1,,\n" +
	"gpu_1x_bad,A10,1.0,26.0,200.0,N/A,us-east-1,,\n"

// fileOf is a file with a text, below a folder of a provider's name.
func fileOf(t *testing.T, folder, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), folder, "vms.csv")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// says checks that a text has all of the words.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in:\n%s", word, text)
		}
	}
}

func TestImportCommand(t *testing.T) {
	for name, where := range stores(t) {
		t.Run(name, func(t *testing.T) {
			file := fileOf(t, "lambda", lambdaTable)
			out, _ := command(t, where, exitOK, "import", "--feed", "skypilot", "--dry-run", file)
			says(t, out, "new 3", "dry run")
			out, errs := command(t, where, exitOK, "import", "--feed", "skypilot", file)
			says(t, out, "skypilot/lambda: 4 rows read", "new 3", "unreadable 1", "unmapped_gpu 1", "Q900 1", "is current")
			says(t, errs, "Reading skypilot/lambda")
			out, _ = command(t, where, exitOK, "import", "--feed", "skypilot", file)
			says(t, out, "as before 3", "stays current")
			newer := fileOf(t, "anywhere", strings.Replace(lambdaTable, "0.75", "0.85", 1))
			command(t, where, exitUsage, "import", "--feed", "skypilot", newer)
			out, _ = command(t, where, exitOK, "import", "--feed", "skypilot", "--provider", "lambda", newer)
			says(t, out, "dearer 1")
			cut := fileOf(t, "lambda", lambdaTable[:len(lambdaTable)-30])
			out, errs = command(t, where, exitError, "import", "--feed", "skypilot", cut)
			says(t, out, "stays current")
			says(t, errs, "import of skypilot/lambda refused", "row 5", "cut")
			_, errs = command(t, where, exitError, "import", "--feed", "skypilot", "--as-of", "2099-01-01", file)
			says(t, errs, "still to come")
		})
	}
	for _, wrong := range [][]string{
		{}, {"--feed", "nothing", "x"}, {"--feed", "skypilot"}, {"--feed", "skypilot", "--as-of", "yesterday", "lambda"},
		{"--feed", "skypilot", "--provider", "lamda", "x"}, {"--feed", "skypilot", "--accept", "anything", "--provider", "lambda", "x"},
	} {
		command(t, []string{"--data", t.TempDir()}, exitUsage, append([]string{"import"}, wrong...)...)
	}
}
