package engine

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/wording"
)

// TCORequest is what to hold side by side, checked and with every default filled in.
type TCORequest struct {
	Options    []Option
	Currency   catalog.Currency
	ComputedAt time.Time
	Assumed    []Assumption
	// Language is what assumptions and warnings are written in.
	Language wording.Language
}

// Option is a way to get work done month after month: instances that are rented,
// jobs that are run, storage and traffic. Each may be missing.
type Option struct {
	Name      string
	Resources []Resource
	Jobs      []Job
	Disks     []Disk
	Transfers []Transfer
	Own       catalog.Overrides // the tenant's own prices
}

// Resource is instances of an offer. At is where a request has it, for errors.
type Resource struct {
	At, Name  string
	Offer     catalog.OfferID
	Instances int64
	Schedule  tco.Schedule
	// SetupSeconds, Utilization, DiskGB and DiskStays are as package tco has them.
	SetupSeconds int64
	Utilization  decimal.Decimal
	DiskGB       int64
	DiskStays    bool
	// Lost is the share of work that interruptions undo, and Efficiency the
	// coefficient; not valid where the catalogue is to say.
	Lost, Efficiency decimal.NullDecimal
	Slowdown         decimal.Decimal // how many times as long the work takes, at least 1
}

// Job is a request for plans whose best one is run so many times a month.
type Job struct {
	At, Name string
	Request  Request
	Key      string          // equal keys are equal requests, which are planned once
	Runs     decimal.Decimal // a month, or if Daily on each of its days
	Daily    bool
}

// Disk is storage at a place. A price is the caller's own, per GB and month.
type Disk struct {
	At, Name string
	Place    catalog.Place
	GB       decimal.Decimal
	Price    decimal.NullDecimal
}

// Transfer is data that leaves a place every month. A rate is the caller's own; nil
// asks the catalogue.
type Transfer struct {
	At, Name string
	From     catalog.Place
	Scope    catalog.Scope
	GB       decimal.Decimal
	Rate     *catalog.EgressRate
}

// BillError says what of a request can't be priced, and why.
type BillError struct {
	At  string // where the request has it
	Why string // in plain words
}

// Error is the place and the reason.
func (e BillError) Error() string { return e.At + ": " + e.Why }
