package display

import "strings"

// reasonTexts are the reasons of rejection in words.
const reasonTexts = `price_unknown: no source gives its price
no_exchange_rate: its price is in a currency without an exchange rate
no_gpu: it has no GPU
vcpus_unknown: no source gives its number of vCPUs
gpu_not_sized: the specification of its GPU is incomplete
format_missing: its GPU has no tensor cores for the precision or the weights' format
fractional_gpu: it is only a part of a GPU
serverless: it is serverless, so nothing can be held for the job
does_not_fit: the work does not fit in its memory
may_not_fit: the work may not fit in its memory
hardware_differs: it is not the hardware asked for
provider_class: its provider is of another class
provider: its provider is not asked for, or excluded
country: it is in another country, or its country is unknown
region: it is in another region
compliance: its provider does not state the attestation
ecc: it has no ECC memory, or no source says so
nvlink: its GPUs are not joined by NVLink, or no source says so
purchase_model: it is bought another way (on demand, spot, reserved)
commitment: it binds for longer than the commitment
gpu: it has another GPU
min_vram: its GPUs have too little memory
interruption: it is interrupted too often, or no source says how often
age: its price is too old, or has no date
availability: it is not available
latency: it is too far from the users, or nobody says where it is
max_price: its price per hour is too high
beyond_limits: it would cost an absurd amount`

// Reason is a reason of rejection in words; a code without words stays as it is.
func Reason(code string) string {
	for line := range strings.Lines(reasonTexts) {
		if name, text, _ := strings.Cut(strings.TrimSpace(line), ": "); name == code {
			return text
		}
	}
	return code
}

// Reasons are the reasons of rejection in words.
func Reasons() []string {
	var all []string
	for line := range strings.Lines(reasonTexts) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all = append(all, text)
	}
	return all
}
