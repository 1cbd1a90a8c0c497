package verify

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Claim is what the seller says. Zero values and nil claim nothing.
type Claim struct {
	GPU        string // "H100-SXM"
	Count      int
	MemoryGB   float64 // of each GPU
	NVLink     NVLinkClaim
	ECC        *bool
	NetMbps    float64
	PCIe       int // generation
	PowerWatts float64
}

// NVLinkClaim says which GPUs NVLink joins.
type NVLinkClaim string

// The claims.
const (
	NVLinkFull  NVLinkClaim = "full"  // every GPU to every other, straight or by a switch
	NVLinkPairs NVLinkClaim = "pairs" // each GPU to at least one other
	NVLinkNone  NVLinkClaim = "none"
)

// maxClaim is the longest claim that is read.
const maxClaim = 1024

// ParseClaim reads gpu=H100-SXM,count=8,nvlink=full,ecc=on,mem=80,net=10g,pcie=5,power=700.
func ParseClaim(text string) (Claim, error) {
	var c Claim
	if len(text) > maxClaim {
		return c, fmt.Errorf("claim: it is longer than %d bytes", maxClaim)
	}
	seen := make(map[string]bool)
	for _, pair := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || value == "" {
			return Claim{}, fmt.Errorf("claim: %q is not key=value", pair)
		}
		if seen[key] {
			return Claim{}, fmt.Errorf("claim: %s is given twice", key)
		}
		seen[key] = true
		if err := c.set(key, value); err != nil {
			return Claim{}, fmt.Errorf("claim: %w", err)
		}
	}
	return c, nil
}

func (c *Claim) set(key, value string) (err error) {
	switch key {
	case "gpu":
		c.GPU, err = parseGPU(value)
	case "count":
		var n float64
		n, err = parseAmount(key, value, 1024)
		if c.Count = int(n); float64(c.Count) != n {
			return fmt.Errorf("count %q: want a whole number", value)
		}
	case "mem":
		c.MemoryGB, err = parseAmount(key, strings.TrimSuffix(strings.ToLower(value), "gb"), 1<<20)
	case "nvlink":
		c.NVLink = NVLinkClaim(value)
		if c.NVLink != NVLinkFull && c.NVLink != NVLinkPairs && c.NVLink != NVLinkNone {
			return fmt.Errorf("nvlink %q: want full, pairs or none", value)
		}
	case "ecc":
		on := value == "on"
		if c.ECC = &on; !on && value != "off" {
			return fmt.Errorf("ecc %q: want on or off", value)
		}
	case "net":
		c.NetMbps, err = parseNet(value)
	case "pcie":
		var generation float64
		generation, err = parseAmount(key, value, 10)
		c.PCIe = int(generation)
	case "power":
		c.PowerWatts, err = parseAmount(key, strings.TrimSuffix(strings.ToLower(value), "w"), 100_000)
	default:
		return fmt.Errorf("unknown key %q: want gpu, count, mem, nvlink, ecc, net, pcie or power", key)
	}
	return err
}

var gpuName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 _-]{0,63}$`)

func parseGPU(value string) (string, error) {
	if !gpuName.MatchString(value) {
		return "", fmt.Errorf("gpu %q: want a name such as H100-SXM", value)
	}
	return value, nil
}

func parseAmount(key, value string, most float64) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v > 0 && v <= most) {
		return 0, fmt.Errorf("%s %q: want a number above 0, at most %g", key, value, most)
	}
	return v, nil
}

// parseNet reads 10g, 500m or a number of Mbit/s.
func parseNet(value string) (float64, error) {
	number, factor := strings.ToLower(value), 1.0
	if digits, ok := strings.CutSuffix(number, "g"); ok {
		number, factor = digits, 1000
	} else if digits, ok := strings.CutSuffix(number, "m"); ok {
		number = digits
	}
	v, err := parseAmount("net", number, 1e6)
	return v * factor, err
}
