// Package market says what the market is: for every GPU and purchase model the
// classes of providers side by side, and what spot and commitments save against
// on-demand. All figures come from one snapshot, so that claims about the market
// can be held against its prices.
package market
