// Package spotadvisorfeed reads what the AWS Spot Instance Advisor shows: how often
// instances of a type were taken away in the last month, in five ranges.
//
// A range counts by its label ("5-10%"): the "max" beside it is one too many for
// most. A range is the share of instances that were interrupted within a month, not a
// rate per hour. The savings (s, in percent) are checked and not kept: they are
// averages of a month and no price, so no offer is made of them.
package spotadvisorfeed
