package awsfeed

import (
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// product is a machine that the list prices.
type product struct{ row feed.Row }

// attributes are what a list says of a product. A list that is older lacks some.
type attributes struct {
	Family          string `json:"-"`
	InstanceType    string `json:"instanceType"`
	VCPU            string `json:"vcpu"`
	Memory          string `json:"memory"`
	GPU             string `json:"gpu"`
	GPUMemory       string `json:"gpuMemory"`
	Tenancy         string `json:"tenancy"`
	OperatingSystem string `json:"operatingSystem"`
	LicenseModel    string `json:"licenseModel"`
	PreInstalledSW  string `json:"preInstalledSw"`
	CapacityStatus  string `json:"capacitystatus"`
	MarketOption    string `json:"marketoption"`
	Operation       string `json:"operation"`
	RegionCode      string `json:"regionCode"`
}

// blocks is the market option of capacity that is bought ahead.
const blocks = "CapacityBlock"

// other is what else than a Linux machine that anyone can rent a product is, "" if
// it is one.
func (a *attributes) other() string {
	switch {
	case a.Family != "Compute Instance" && a.Family != "Compute Instance (bare metal)":
		return "no machine"
	case a.OperatingSystem != "Linux":
		return "system other than Linux"
	case a.Tenancy != "Shared":
		return "tenancy other than shared"
	case a.PreInstalledSW != "NA" && a.PreInstalledSW != "":
		return "software installed"
	case a.LicenseModel != "No License required" && a.LicenseModel != "NA" && a.LicenseModel != "":
		return "licence brought along"
	case a.MarketOption != "OnDemand" && a.MarketOption != "" && a.MarketOption != blocks:
		return "other market option"
	case a.MarketOption == blocks && a.CapacityStatus != "":
		return ""
	case a.CapacityStatus != "Used":
		return "capacity that is reserved"
	case a.Operation != "RunInstances" && a.Operation != "":
		return "other operation"
	}
	return ""
}

// keep keeps a product, or says why it can't be read.
func (l *list) keep(id string, number int, a *attributes) error {
	for _, text := range []struct{ column, value string }{{"instanceType", a.InstanceType}, {"regionCode", a.RegionCode}} {
		if text.value == "" || !feed.Name(text.value) || strings.ContainsRune(text.value, '\uFFFD') {
			return &feed.Fault{Row: number, Column: text.column, Got: text.value, Want: "one line of text in UTF-8"}
		}
	}
	region := catalog.RegionID(a.RegionCode)
	row := feed.Row{
		Number: number, Place: catalog.Place{Provider: feed.PartitionOfAWS(region), Region: region}, SKU: catalog.SKU(a.InstanceType),
		Service: catalog.VirtualMachine, Market: catalog.OnDemand, BillingStep: 1,
		Price: catalog.Price{Basis: catalog.PerInstanceHour, Currency: catalog.USD},
	}
	if a.MarketOption == blocks {
		row.Market = catalog.CapacityBlock
	}
	var err error
	if row.VCPUs, err = feed.Figure(a.VCPU); err != nil {
		return &feed.Fault{Row: number, Column: "vcpu", Got: a.VCPU, Want: "a number"}
	}
	if row.RAMGB, err = gib(a.Memory); err != nil {
		return &feed.Fault{Row: number, Column: "memory", Got: a.Memory, Want: `"244 GiB"`}
	}
	if err := a.accelerate(&row); err != nil {
		return err
	}
	if row.KnownOnly && row.GPU.Name == "" && (l.wanted == nil || !l.wanted(row.Provider, row.SKU)) {
		l.batch.Skip("accelerator that is no GPU")
		return nil
	}
	l.products[id] = &product{row}
	return nil
}

// accelerate says what GPUs a machine has. The list counts them and does not name
// them: the family of the instance type does.
func (a *attributes) accelerate(row *feed.Row) error {
	family, _, _ := strings.Cut(a.InstanceType, ".")
	if a.GPU == "" || a.GPU == "NA" || a.GPU == "0" {
		row.KnownOnly = gpuOf(family) != "" || accelerated(family)
		return nil
	}
	count, err := feed.Count(a.GPU)
	if err != nil || !count.Decimal.IsPositive() {
		return &feed.Fault{Row: row.Number, Column: "gpu", Got: a.GPU, Want: "a number of GPUs, or NA"}
	}
	total, err := gib(a.GPUMemory)
	if err != nil {
		return &feed.Fault{Row: row.Number, Column: "gpuMemory", Got: a.GPUMemory, Want: `"24 GiB", or NA`}
	}
	row.GPU = feed.GPU{Name: gpuOf(family), Count: count}
	if row.GPU.Name == "" {
		row.GPU.Name, row.KnownOnly = "AWS "+family, true
	}
	if !count.Decimal.IsInteger() {
		row.Flags = append(row.Flags, "FRACTIONAL_GPU")
	}
	if total > 0 {
		row.GPU.MemoryGB = []float64{total}
		if n := count.Decimal.InexactFloat64(); n > 1 {
			row.GPU.MemoryGB = append(row.GPU.MemoryGB, total/n)
		}
	}
	return nil
}

// gib is "1,952 GiB" in units of 2^30 bytes, 0 if the list does not say.
func gib(text string) (float64, error) {
	if text == "" || text == "NA" {
		return 0, nil
	}
	figure, unit, _ := strings.Cut(text, " ")
	n, err := feed.Figure(strings.ReplaceAll(figure, ",", ""))
	switch {
	case err != nil:
		return 0, err
	case unit == "GiB", unit == "GB":
		return n, nil
	case unit == "MiB", unit == "MB":
		return n / 1024, nil
	case unit == "TiB", unit == "TB":
		return n * 1024, nil
	}
	return feed.Figure(text) // which it is not
}

// gpuOf is the GPU of a family of instance types, "" if it has none or is not known
// here. Source: AWS documentation, Amazon EC2 instance types, accelerated computing.
func gpuOf(family string) string {
	return map[string]string{
		"p2": "K80", "p3": "V100-16GB-SXM", "p3dn": "V100-32GB-SXM", "p4d": "A100-40GB-SXM", "p4de": "A100-80GB-SXM",
		"p5": "H100-80GB-SXM", "p5e": "H200-141GB-SXM", "p5en": "H200-141GB-SXM",
		"p6-b200": "B200", "p6-b300": "B300", "p6e-gb200": "GB200", "p6e-gb300": "GB300",
		"g3": "M60", "g3s": "M60", "g4dn": "T4", "g4ad": "Radeon Pro V520", "g5": "A10G", "g5g": "T4G",
		"g6": "L4", "gr6": "L4", "g6f": "L4", "gr6f": "L4", "g6e": "L40S", "g7e": "RTX PRO 6000",
	}[family]
}

// accelerated reports whether a family has an accelerator that is no GPU.
func accelerated(family string) bool {
	return slices.ContainsFunc([]string{"inf", "trn", "dl", "vt", "f"}, func(prefix string) bool {
		rest, found := strings.CutPrefix(family, prefix)
		return found && rest != "" && rest[0] >= '0' && rest[0] <= '9'
	})
}
