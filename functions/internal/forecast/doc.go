// Package forecast is the spend of months ahead: workloads that start, grow and end,
// on instances that are paid by the hour or by commitments, at prices that move.
//
// What is expected is exact. A month of a workload is the bill of package tco for the
// hours and days that the calendar gives it, times a factor for growth and one for the
// price; every line of it is rounded once, and all sums are sums of rounded lines. So
// lines, workloads and months add up to the last digit, and a month of one run costs
// what the plan says. Factors have tco.FactorPlaces decimals, month by month.
//
// How far it may be off is not exact: spread.go says how it is estimated. Only there
// and in trend.go are there floats, and they become factors without a unit.
package forecast
