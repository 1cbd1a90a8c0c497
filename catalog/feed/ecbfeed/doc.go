// Package ecbfeed reads the euro reference rates that the European Central Bank
// publishes on every working day: of one day, of 90 days, or of all.
//
// A rate is units of a currency for one euro. The catalogue wants units for one
// dollar, on average in a month, so each day's rates are divided by that day's rate
// of the dollar and averaged over the days of the month that the document has. The
// first month of a document that begins in its middle is left out: the average of
// a part would replace that of the whole.
package ecbfeed
