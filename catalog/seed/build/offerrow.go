package main

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

const offerColumns = "provider,provider_class,tier,sku,gpu,gpu_count,gpu_mem_gb,vcpu,ram_gb,local_disk_gb,region,country,pricing_model," +
	"price_basis,price_native,currency,price_unit_note,min_gpus,billing_increment_s,service_model,as_of,flags,licence,source"

// offer is a row of prices as the table of offers wants it. Figures are texts.
type offer struct {
	row record
	id  catalog.OfferID
	catalog.Place
	sku, variant, service, country string
	market                         catalog.PurchaseModel

	gpu, gpuName             string
	gpus                     string // "" if the fraction is unknown
	minGPUs                  string
	vram, vcpus, ram, disk   string
	amount, currency, billed string
	basis                    catalog.Basis

	asOf   catalog.Date
	source citation
	flags  []string
}

// parseOffer reads a row of prices. reason is not empty if the row is readable
// but can't be an offer, and says why.
func parseOffer(r record, memory map[string]decimal.Decimal) (o offer, reason string, err error) {
	o = offer{
		row: r, Place: catalog.Place{Provider: catalog.ProviderID(r.get("provider")), Region: catalog.RegionID(r.get("region"))},
		sku: r.get("sku"), service: r.get("service_model"), country: r.get("country"), gpu: r.get("gpu"),
		currency: r.get("currency"), source: citation{r.get("source"), r.get("licence")}, flags: splitFlags(r.get("flags")),
	}
	if reason = unfit(o.flags, r.get("price_basis")); reason != "" {
		return o, reason, nil
	}
	for _, step := range []func(*offer) error{
		(*offer).readMarket, (*offer).readDate, (*offer).readPrice, (*offer).readGPUs, (*offer).readShape,
	} {
		if err := step(&o); err != nil {
			return offer{}, "", err
		}
	}
	o.settleMemory(memory)
	o.nameVariant()
	o.id = catalog.NewOfferID(o.Place, catalog.SKU(o.sku), o.variant, o.market)
	return o, "", nil
}

// splitFlags reads flags joined by "|" or ",".
func splitFlags(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' })
}

// unfit is the flag, or the price basis, that keeps a row from being an offer.
// SUPERSEDED is not among them: see standIns.
func unfit(flags []string, basis string) string {
	for _, flag := range []string{
		"OUTLIER", "CONFLICT", "AMBIGUOUS_DUP", "SPOT_PLACEHOLDER", "WINDOWS_LICENCE",
		"PRE_2025_06_AWS_CUT", "GPU_ONLY_NO_HOST", "FRACTION_UNKNOWN", "CURRENCY_UNSTATED",
	} {
		if slices.Contains(flags, flag) {
			return flag
		}
	}
	if basis == "per_gpu_addon" {
		return "per_gpu_addon"
	}
	return ""
}

// readMarket reads what kind of rent the row is about.
func (o *offer) readMarket() error {
	var err error
	if o.market, err = catalog.ParsePurchaseModel(o.row.get("pricing_model")); err != nil {
		return o.row.with("pricing_model", err)
	}
	if o.Provider == "" {
		return o.row.fault("provider", "a provider")
	}
	if o.sku == "" {
		return o.row.fault("sku", "the name of an instance type")
	}
	services := []catalog.Service{catalog.VirtualMachine, catalog.Marketplace, catalog.Serverless}
	if !slices.Contains(services, catalog.Service(o.service)) {
		return o.row.fault("service_model", "vm, marketplace or serverless")
	}
	return nil
}

// readDate reads when the row was true; "unknown" is no date.
func (o *offer) readDate() error {
	text := strings.TrimPrefix(o.row.get("as_of"), "unknown")
	var err error
	o.asOf, err = catalog.ParseDate(text)
	return o.row.with("as_of", err)
}

// readShape reads the figures of the machine.
func (o *offer) readShape() error {
	for _, figure := range []struct {
		column string
		read   func(record, string) (string, error)
		to     *string
	}{
		{"gpu_mem_gb", optional, &o.vram}, {"vcpu", shape, &o.vcpus}, {"ram_gb", shape, &o.ram},
		{"local_disk_gb", optional, &o.disk}, {"min_gpus", whole, &o.minGPUs}, {"billing_increment_s", whole, &o.billed},
	} {
		var err error
		if *figure.to, err = figure.read(o.row, figure.column); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether the row carries a flag.
func (o *offer) has(flag string) bool { return slices.Contains(o.flags, flag) }

// cells are the offer's cells in the columns of the table; source is its id.
func (o *offer) cells(source string) []string {
	return []string{
		string(o.Provider), string(o.Region), o.sku, o.variant, o.service, string(o.market), o.country,
		o.gpu, o.gpuName, o.gpus, o.minGPUs, o.vram, o.vcpus, o.ram, o.disk,
		o.amount, string(o.basis), o.currency, o.billed, o.asOf.String(), source, strings.Join(o.flags, "|"),
	}
}
