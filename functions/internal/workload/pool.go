package workload

// Pool is small models that are worked with side by side for some hours of some days:
// notebooks, tests, teaching. Each needs memory of its own and only part of a GPU.
type Pool struct {
	Models      int
	VRAMGB      float64 // that each needs
	HoursPerDay float64
	Days        int
	// Apart gives each model a GPU of its own, for comparison.
	Apart bool
}

// Check reports the first absurd value as a FieldError.
func (p *Pool) Check() error {
	field := func(name, want string) error { return FieldError{string(DevTest) + "." + name, want} }
	switch {
	case p.Models < 1 || p.Models > 100_000:
		return field("models", "from 1 to 100,000")
	case !(p.VRAMGB > 0 && p.VRAMGB <= 1000):
		return field("vram_gb_each", "more than 0 and at most 1,000 GB")
	case !(p.HoursPerDay > 0 && p.HoursPerDay <= 24):
		return field("hours_per_day", "more than 0 and at most 24")
	case p.Days < 1 || p.Days > 3660:
		return field("days", "from 1 to 3,660")
	}
	return nil
}

// PoolOf is a pool as a stage: time on hardware that is switched off between its hours,
// while the disks stay. The error is a FieldError.
func PoolOf(p Pool) (Stage, error) {
	if err := p.Check(); err != nil {
		return Stage{}, err
	}
	on := p.HoursPerDay * 3600 * float64(p.Days)
	return Stage{
		Name: DevTest, Pool: &p, RentedSeconds: on, StoppedSeconds: float64(p.Days)*86400 - on,
		DiskGB: systemDiskGB + imageDiskGB,
	}, nil
}

// slice is a way to divide a GPU: so many instances, each with a share of the memory.
type slice struct {
	instances int
	share     float64
}

// migProfiles are the equal divisions of a GPU by MIG, the finest first: seven
// instances of an eighth of the memory, three of a quarter, two of half, one of all
// (NVIDIA, "MIG User Guide", profiles of A100, H100 and H200).
func migProfiles() []slice {
	return []slice{{7, 1.0 / 8}, {3, 1.0 / 4}, {2, 1.0 / 2}, {1, 1}}
}

// mostShares is the most models that share a GPU without MIG, by time slices.
const mostShares = 16

// Slots is how many models of the pool a GPU of so much memory holds: by MIG where it
// has that, else in time slices with memory of their own.
func (p *Pool) Slots(memoryGB float64, mig bool) int {
	switch {
	case memoryGB < p.VRAMGB:
		return 0
	case p.Apart:
		return 1
	case !mig:
		return min(mostShares, int(memoryGB/p.VRAMGB))
	}
	for _, s := range migProfiles() {
		if memoryGB*s.share >= p.VRAMGB {
			return s.instances
		}
	}
	return 0
}
