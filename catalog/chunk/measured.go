package chunk

import (
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// instant is a column of times in UTC, to the nanosecond; the zero time is one too.
func instant[T any](name string, field func(*T) *time.Time) column[T] {
	return column[T]{name,
		func(w *writer, row *T) {
			if at := *field(row); !at.IsZero() {
				w.text(at.UTC().Format(time.RFC3339Nano))
				return
			}
			w.text("")
		},
		func(r *reader, row *T) {
			text := r.text()
			if text == "" {
				return
			}
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				r.fail("an instant is %.40q", text)
			}
			*field(row) = at.UTC()
		}}
}

func coefficientColumns() []column[catalog.Coefficient] {
	return []column[catalog.Coefficient]{
		text("gpu", func(c *catalog.Coefficient) *catalog.GPUID { return &c.GPU }),
		text("provider", func(c *catalog.Coefficient) *catalog.ProviderID { return &c.Provider }),
		text("sku", func(c *catalog.Coefficient) *catalog.SKU { return &c.SKU }),
		number("value", func(c *catalog.Coefficient) *float64 { return &c.Value }),
		number("low", func(c *catalog.Coefficient) *float64 { return &c.Interval.Low }),
		number("high", func(c *catalog.Coefficient) *float64 { return &c.Interval.High }),
		number("prior", func(c *catalog.Coefficient) *float64 { return &c.Prior }),
		number("measured", func(c *catalog.Coefficient) *float64 { return &c.Measured }),
		number("measured_low", func(c *catalog.Coefficient) *float64 { return &c.MeasuredInterval.Low }),
		number("measured_high", func(c *catalog.Coefficient) *float64 { return &c.MeasuredInterval.High }),
		children("terms", func(c *catalog.Coefficient) *[]catalog.Term { return &c.Terms }, []column[catalog.Term]{
			text("resource", func(t *catalog.Term) *catalog.Resource { return &t.Resource }),
			number("ratio", func(t *catalog.Term) *float64 { return &t.Ratio }),
			truth("measured", func(t *catalog.Term) *bool { return &t.Measured }),
		}),
		number("availability", func(c *catalog.Coefficient) *float64 { return &c.Availability }),
		text("evidence", func(c *catalog.Coefficient) *catalog.Evidence { return &c.Evidence }),
		integer("active", func(c *catalog.Coefficient) *int { return &c.Kinds.Active }),
		integer("workload_reported", func(c *catalog.Coefficient) *int { return &c.Kinds.WorkloadReported }),
		integer("passive", func(c *catalog.Coefficient) *int { return &c.Kinds.Passive }),
		text("reference", func(c *catalog.Coefficient) *catalog.Reference { return &c.Reference }),
		integer("tenants", func(c *catalog.Coefficient) *int { return &c.Tenants }),
		integer("outliers", func(c *catalog.Coefficient) *int { return &c.Outliers }),
		integer("boxes", func(c *catalog.Coefficient) *int { return &c.Boxes }),
		integer("reports", func(c *catalog.Coefficient) *int { return &c.Reports }),
		instant("newest_at", func(c *catalog.Coefficient) *time.Time { return &c.NewestAt }),
		number("host_measured", func(c *catalog.Coefficient) *float64 { return &c.HostMeasured }),
		integer("host_boxes", func(c *catalog.Coefficient) *int { return &c.HostBoxes }),
		truth("frozen", func(c *catalog.Coefficient) *bool { return &c.Frozen }),
		instant("released_at", func(c *catalog.Coefficient) *time.Time { return &c.ReleasedAt }),
		instant("computed_at", func(c *catalog.Coefficient) *time.Time { return &c.ComputedAt }),
	}
}

func checkRateColumns() []column[catalog.CheckRate] {
	return []column[catalog.CheckRate]{
		text("provider", func(r *catalog.CheckRate) *catalog.ProviderID { return &r.Provider }),
		text("sku", func(r *catalog.CheckRate) *catalog.SKU { return &r.SKU }),
		text("gpu", func(r *catalog.CheckRate) *catalog.GPUID { return &r.GPU }),
		text("check", func(r *catalog.CheckRate) *catalog.CheckID { return &r.Check }),
		integer("boxes", func(r *catalog.CheckRate) *int { return &r.Boxes }),
		integer("passed", func(r *catalog.CheckRate) *int { return &r.Passed }),
		integer("tenants", func(r *catalog.CheckRate) *int { return &r.Tenants }),
		instant("computed_at", func(r *catalog.CheckRate) *time.Time { return &r.ComputedAt }),
	}
}
