package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

const (
	gpuChoiceColumns = "id,spec,family,name,vendor,form,class,tier,memory_gb,spec_of,note"
	specColumns      = "name,architecture,compute_capability,min_cuda,bf16_tensor_dense_tflops,fp16_tensor_dense_tflops,fp32_tflops,fp64_tflops," +
		"fp8_dense_tflops,memory_gb,mem_bw_gb_s,tdp_w,nvlink_gb_s_bidir,ecc,mig,peak_clock_mhz,mamf_bf16_tflops," +
		"dcgm_min_mem_bw_mb_s,pci_device_id,source"
)

// spec is a row of specifications, by column.
type spec map[string]string

// cardMemory is the memory of every GPU model in GB, by id; 0 if unknown.
func (b *built) cardMemory() (map[string]decimal.Decimal, error) {
	rows, err := b.choice("gpus.csv", gpuChoiceColumns)
	if err != nil {
		return nil, err
	}
	memory := make(map[string]decimal.Decimal, len(rows))
	for _, r := range rows {
		text, err := optional(r, "memory_gb")
		if err != nil {
			return nil, err
		}
		memory[r.get("id")] = decimal.RequireFromString("0" + text)
	}
	return memory, nil
}

// addGPUs joins the catalogue's GPUs to their specifications and adds both the
// GPUs and their aliases.
func (b *built) addGPUs(in inputs) error {
	specs, err := b.readSpecs(in.gpus)
	if err != nil {
		return err
	}
	b.report.rows["GPU specifications"] = len(specs)
	rows, err := b.choice("gpus.csv", gpuChoiceColumns)
	if err != nil {
		return err
	}
	for _, r := range rows {
		s, ok := specs[r.get("spec")]
		if !ok && r.get("spec") != "" {
			return r.fault("spec", "the name of a specification")
		}
		source, err := b.library.cite(seed.GPUsTable, citation{text: s["source"]}, catalog.Date{})
		if err != nil {
			return err
		}
		cells, err := gpuCells(r, s, source)
		if err != nil {
			return err
		}
		b.add(seed.GPUsTable, cells...)
	}
	return b.addAliases(rows)
}

// readSpecs reads the specifications by name, with the figures of
// choices/gpu_figures.csv over them.
func (b *built) readSpecs(files []string) (map[string]spec, error) {
	rows, err := readFiles(files, specColumns)
	if err != nil {
		return nil, err
	}
	specs := make(map[string]spec)
	for _, r := range rows {
		s := spec{}
		for column := range strings.SplitSeq(specColumns, ",") {
			s[column] = r.get(column)
		}
		specs[r.get("name")] = s
	}
	figures, err := b.choice("gpu_figures.csv", "spec,column,value,source")
	if err != nil {
		return nil, err
	}
	for _, f := range figures {
		s := specs[f.get("spec")]
		if s == nil {
			s = spec{"name": f.get("spec")}
			specs[f.get("spec")] = s
		}
		s.replace(f.get("column"), f.get("value"), f.get("source"))
	}
	return specs, nil
}

// replace sets a figure and says where it comes from.
func (s spec) replace(column, value, source string) {
	s[column] = value
	if source == "" {
		return
	}
	origin := column + " <- " + source
	if s["source"] == "" {
		s["source"] = origin
		return
	}
	s["source"] += " ; " + origin
}

// gpuCells are the cells of a GPU in the columns of its table.
func gpuCells(r record, s spec, source string) ([]string, error) {
	cells := []string{
		r.get("id"), r.get("name"), r.get("family"), r.get("vendor"), r.get("form"), s["architecture"],
		r.get("class"), r.get("tier"), s["compute_capability"], s["min_cuda"], r.get("memory_gb"),
	}
	for _, column := range []string{
		"bf16_tensor_dense_tflops", "fp16_tensor_dense_tflops", "fp32_tflops", "fp64_tflops", "fp8_dense_tflops",
		"mem_bw_gb_s", "tdp_w", "nvlink_gb_s_bidir", "peak_clock_mhz", "mamf_bf16_tflops",
	} {
		if _, err := exact(s[column]); err != nil && s[column] != "" {
			return nil, fmt.Errorf("specification %s, column %s: %w", s["name"], column, err)
		}
		cells = append(cells, s[column])
	}
	expected, err := copySpeed(s["dcgm_min_mem_bw_mb_s"])
	if err != nil {
		return nil, fmt.Errorf("specification %s, column dcgm_min_mem_bw_mb_s: %w", s["name"], err)
	}
	devices := s["pci_device_id"]
	if r.get("spec_of") != "" {
		devices = "" // those of the variant that stands in
	}
	nvlink := linked(r.get("id"), r.get("form"), s["nvlink_gb_s_bidir"])
	return append(cells, expected, devices, nvlink.String(), s["ecc"], s["mig"], r.get("spec_of"), source), nil
}

// acceptedShare is the share of what NVIDIA measured that its diagnostics accept.
const acceptedShare = "0.75"

// copySpeed is the memory copy in GB/s that NVIDIA measured, of the least in MB/s that
// its diagnostics accept; "" of none.
func copySpeed(least string) (string, error) {
	if least == "" {
		return "", nil
	}
	d, err := exact(least)
	if err != nil {
		return "", err
	}
	return d.Shift(-3).DivRound(decimal.RequireFromString(acceptedShare), 1).String(), nil
}

// linked reports whether a GPU is joined to its neighbours by NVLink: modules
// are. A card takes a bridge, which a rented machine may lack unless its name
// says so. speed is the figure of the specification, "" if none is sourced.
func linked(id, form, speed string) catalog.Tri {
	switch {
	case speed == "":
		return catalog.Unknown
	case speed == "0":
		return catalog.No
	case strings.HasPrefix(form, "SXM"), strings.HasSuffix(id, "-NVLink"):
		return catalog.Yes
	default:
		return catalog.Unknown
	}
}

// addAliases adds the other names of GPUs. No name may stand for two GPUs, nor
// hide the other variants of a family.
func (b *built) addAliases(gpus []record) error {
	rows, err := b.choice("gpu_aliases.csv", "alias,id")
	if err != nil {
		return err
	}
	taken, ids := gpuNames(gpus)
	for _, r := range rows {
		key, id := catalog.FoldName(r.get("alias")), r.get("id")
		if !ids[id] {
			return r.fault("id", "the id of a GPU")
		}
		if others := taken[key]; len(others) > 0 && !slices.Equal(others, []string{id}) {
			return r.fault("alias", fmt.Sprintf("a name that does not stand for %v", others))
		}
		taken[key] = []string{id}
	}
	slices.SortFunc(rows, func(x, y record) int {
		return strings.Compare(x.get("id")+"\x00"+x.get("alias"), y.get("id")+"\x00"+y.get("alias"))
	})
	for _, r := range rows {
		b.add(seed.GPUAliasesTable, r.get("alias"), r.get("id"))
	}
	return nil
}

// gpuNames are the folded ids and families of GPUs with the ids that each stands
// for, and the set of ids.
func gpuNames(gpus []record) (names map[string][]string, ids map[string]bool) {
	names, ids = make(map[string][]string), make(map[string]bool)
	for _, r := range gpus {
		id := r.get("id")
		ids[id] = true
		names[catalog.FoldName(id)] = []string{id}
	}
	for _, r := range gpus {
		if family := catalog.FoldName(r.get("family")); !slices.Contains(names[family], r.get("id")) {
			names[family] = append(names[family], r.get("id"))
		}
	}
	return names, ids
}

// addPriors adds the efficiency coefficients to assume.
func (b *built) addPriors(inputs) error {
	rows, err := b.choice("priors.csv", "class,value,low,high,source")
	if err != nil {
		return err
	}
	for _, r := range rows {
		source, err := b.library.cite(seed.PriorsTable, citation{text: r.get("source")}, catalog.Date{})
		if err != nil {
			return err
		}
		b.add(seed.PriorsTable, r.get("class"), r.get("value"), r.get("low"), r.get("high"), source)
	}
	return nil
}
