// Package cost is what a deployed stack costs: from what was measured of a function, and
// from public prices. Free tiers and discounts are left out.
package cost
