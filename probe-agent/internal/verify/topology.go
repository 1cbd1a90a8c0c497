package verify

import (
	"fmt"
	"strings"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
)

// Topology checks how the GPUs are joined.
func Topology(inventory *sampler.Inventory, claim Claim) []Check {
	return []Check{checkNVLink(inventory, claim), checkP2P(inventory)}
}

func checkNVLink(inventory *sampler.Inventory, claim Claim) Check {
	c := Check{ID: "nvlink_topology", Title: "NVLink between the GPUs", Required: string(claim.NVLink)}
	if len(inventory.Devices) < 2 {
		return skipped(c.ID, c.Title, "there is one GPU")
	}
	for i := range inventory.Devices {
		if v := inventory.Devices[i].Links; !v.OK() {
			c.Status, c.Evidence = Inconclusive, fmt.Sprintf("the links of GPU %d can't be read: %s", i, v.Code())
			return c
		}
	}
	found := nvlinkOf(inventory)
	c.Actual, c.Evidence = string(found), describeLinks(inventory)
	switch {
	case claim.NVLink == "":
		c.Status = Skip
		c.Evidence += "; nothing is claimed: add nvlink= to --claim"
	case claim.NVLink == found || claim.NVLink == NVLinkPairs && found == NVLinkFull:
		c.Status = Pass
	default:
		c.Status = Fail
		c.Remedy = "an all-reduce over all GPUs runs over PCIe: ask for a board with NVSwitch, or pay for what it is"
	}
	return c
}

// nvlinkOf says what NVLink joins.
func nvlinkOf(inventory *sampler.Inventory) NVLinkClaim {
	full, pairs := true, true
	for a := range inventory.Devices {
		neighbours := 0
		for b := range inventory.Devices {
			if a == b {
				continue
			}
			if joined(&inventory.Devices[a], &inventory.Devices[b]) {
				neighbours++
			} else {
				full = false
			}
		}
		pairs = pairs && neighbours > 0
	}
	switch {
	case full:
		return NVLinkFull
	case pairs:
		return NVLinkPairs
	}
	return NVLinkNone
}

// joined reports whether NVLink leads from one device to another, straight or because
// both are on the switches.
func joined(a, b *sampler.Device) bool {
	return report.DirectLinks(a, b) > 0 || onSwitch(a) && onSwitch(b)
}

func onSwitch(d *sampler.Device) bool {
	links, _ := d.Links.Get()
	for _, link := range links {
		if link.Active && link.Switch {
			return true
		}
	}
	return false
}

// describeLinks says how many links are active, and which GPUs share a PCIe switch.
func describeLinks(inventory *sampler.Inventory) string {
	active, total := 0, 0
	for i := range inventory.Devices {
		links, _ := inventory.Devices[i].Links.Get()
		total += len(links)
		for _, link := range links {
			if link.Active {
				active++
			}
		}
	}
	text := fmt.Sprintf("%d of %d NVLinks are active", active, total)
	groups := Groups(inventory)
	if len(groups) == 0 {
		return text
	}
	var named []string
	for _, group := range groups {
		named = append(named, strings.Trim(strings.ReplaceAll(fmt.Sprint(group), " ", "+"), "[]"))
	}
	return fmt.Sprintf("%s; %d PCIe groups: %s", text, len(groups), strings.Join(named, ", "))
}

// Groups are the sets of GPUs behind one or more PCIe switches of their own, of two
// GPUs or more, in order. None if the driver does not say how GPUs reach each other.
func Groups(inventory *sampler.Inventory) [][]int {
	group := make([]int, len(inventory.Devices)) // the smallest GPU of each one's group
	for b := range group {
		group[b] = b
		for a := range b {
			level, ok := inventory.Path(a, b).Ancestor.Get()
			if ok && level <= sampler.AncestorPXB {
				group[b] = group[a]
				break
			}
		}
	}
	var groups [][]int
	for first := range group {
		var members []int
		for i, g := range group {
			if g == first {
				members = append(members, i)
			}
		}
		if len(members) > 1 {
			groups = append(groups, members)
		}
	}
	return groups
}

// checkP2P never passes on the driver's word: with ACS or an IOMMU in the way, copies
// between GPUs are slow or wrong while the status is OK.
func checkP2P(inventory *sampler.Inventory) Check {
	c := Check{ID: "p2p_data", Title: "Copies between GPUs arrive unchanged"}
	if len(inventory.Devices) < 2 {
		return skipped(c.ID, c.Title, "there is one GPU")
	}
	ok, pairs := 0, 0
	for _, path := range inventory.Paths {
		read, readOK := path.Read.Get()
		write, writeOK := path.Write.Get()
		pairs++
		if readOK && writeOK && read == 0 && write == 0 {
			ok++
		}
	}
	c.Status = Inconclusive
	c.Actual = fmt.Sprintf("the driver says OK for %d of %d pairs", ok, pairs)
	c.Evidence = "a status is no proof: data must be copied and compared"
	c.Remedy = "run nccl-tests with its data check, as --benchmark 'all_reduce_perf -b 1G -e 1G -c 1 -g " +
		fmt.Sprint(len(inventory.Devices)) + "'"
	return c
}
