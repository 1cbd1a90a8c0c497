// Command build writes the tables of package seed from files of collected
// facts. It decides what becomes an offer, keeps every price to the last digit,
// and prints how many rows it kept out and why. The hand-made choices that it
// needs (names of GPUs, which of several rates to use) are tables in choices/.
//
// Running it twice on the same files gives the same bytes. A row that it can't
// read is an error with file, line and column, and nothing is written.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

//go:embed choices/*.csv
var choices embed.FS

func main() {
	if err := run(os.Args[1:], choices, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// run is the command: its arguments and the hand-made choices in, its report out.
func run(args []string, made fs.FS, stdout io.Writer) error {
	var in inputs
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	flags.Var(&in.offers, "offers", "CSV of prices (may be repeated, as all of these)")
	flags.Var(&in.standIns, "standins", "CSV of prices that stand in for rows of -offers whose source may not be taken")
	flags.Var(&in.extras, "extras", "CSV of egress, storage, billing and interruption facts")
	flags.Var(&in.gpus, "gpus", "CSV of GPU specifications")
	flags.Var(&in.models, "models", "CSV of model shapes")
	flags.Var(&in.fx, "fx", "CSV of monthly exchange rates")
	flags.Var(&in.regions, "regions", "CSV of regions")
	flags.Var(&in.compliance, "compliance", "CSV of compliance statements")
	out := flags.String("out", "catalog/seed", "folder of the tables")
	if err := flags.Parse(args); err != nil {
		return err
	}
	built, err := assemble(in, made)
	if err != nil {
		return err
	}
	version, err := built.write(*out)
	if err != nil {
		return err
	}
	return built.report.print(stdout, version)
}

// inputs are the files to read.
type inputs struct {
	offers, standIns, extras, gpus, models, fx, regions, compliance paths
}

// paths is a flag that may be repeated.
type paths []string

// String is the flag's value as one text.
func (p *paths) String() string { return strings.Join(*p, ",") }

// Set adds one path.
func (p *paths) Set(path string) error {
	*p = append(*p, path)
	return nil
}
