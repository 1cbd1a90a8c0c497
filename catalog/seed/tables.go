package seed

import "strings"

// The tables of the baseline, in the order in which they are read.
const (
	SourcesTable      = "sources.csv"
	PriorsTable       = "priors.csv"
	FXTable           = "fx.csv"
	GPUsTable         = "gpus.csv"
	GPUAliasesTable   = "gpu_aliases.csv"
	ComplianceTable   = "compliance.csv"
	StoppedTable      = "stopped.csv"
	ImagesTable       = "images.csv"
	ProvidersTable    = "providers.csv"
	RegionsTable      = "regions.csv"
	InterruptionTable = "interruption.csv"
	OffersTable       = "offers.csv"
	EgressTable       = "egress.csv"
	StorageTable      = "storage.csv"
	ModelsTable       = "models.csv"
	HistoryTable      = "history.csv"
	FabricTable       = "fabric.csv"
)

// Tables are the names of all tables, in the order in which they are read: a
// table that others refer to comes before them.
func Tables() []string {
	return []string{
		SourcesTable, PriorsTable, FXTable, GPUsTable, GPUAliasesTable, ComplianceTable, StoppedTable, ImagesTable,
		ProvidersTable, RegionsTable, InterruptionTable, OffersTable, EgressTable, StorageTable, ModelsTable,
		HistoryTable, FabricTable,
	}
}

// Columns are the columns of a table in their order; none if there is no such
// table. It is the one definition that both the writer and the reader follow.
func Columns(table string) []string {
	header := map[string]string{
		SourcesTable:    "id,source,licence",
		PriorsTable:     "class,value,low,high,source",
		FXTable:         "month,currency,units_per_usd,source",
		GPUsTable:       "id,name,family,vendor,form,architecture,class,tier,compute_capability,min_cuda,memory_gb,bf16_tflops,fp16_tflops,fp32_tflops,fp64_tflops,fp8_tflops,bandwidth_gb_s,tdp_w,nvlink_gb_s,peak_clock_mhz,gemm_tflops,copy_gb_s,pci_devices,nvlink,ecc,mig,spec_of,source",
		GPUAliasesTable: "alias,id",
		ComplianceTable: "provider,attestation,scope,as_of,source",
		// compute_billed: yes, no, or empty where the source does not say clearly.
		StoppedTable:   "provider,item,text,compute_billed,as_of,source",
		ImagesTable:    "provider,item,text,as_of,source",
		ProvidersTable: "id,name,class,billing_increment_s,billing_minimum_s,billing_source",
		RegionsTable:   "provider,region,country,city,jurisdiction,latitude,longitude,precision,source",
		// Percent per month; high is empty where the band is open.
		InterruptionTable: "provider,region,sku,low_pct,high_pct,as_of,source",
		OffersTable:       "provider,region,sku,variant,service,market,country,gpu,gpu_name,gpus,min_gpus,vram_gb,vcpus,ram_gb,disk_gb,price,basis,currency,billing_increment_s,as_of,source,flags",
		// One row a tier: the tiers of one rate follow each other, cheapest bound first.
		EgressTable:  "provider,region,scope,unit,currency,free_per_month,up_to,price,as_of,source,note",
		StorageTable: "provider,region,item,price,unit,currency,as_of,source,note",
		ModelsTable:  "name,aliases,family,kind,params,active_params,layers,width,ffn,gated_ffn,heads,kv_heads,head_size,vocabulary,tied_head,experts,context,source",
		// Prices that an offer had before the one in the table of offers.
		HistoryTable: "offer,as_of,price,basis,currency,source",
		// GB/s per node and direction; a SKU that ends in "*" is the start of several.
		FabricTable: "provider,sku,gb_s,name,as_of,source",
	}[table]
	if header == "" {
		return nil
	}
	return strings.Split(header, ",")
}
