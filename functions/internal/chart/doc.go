// Package chart draws what answers say: a forecast with its percentiles, a plan's
// stages over time and cost by line, and a frontier of cost and time.
//
// A picture is made of its Spec alone, and a Spec travels in the picture's URL, signed:
// nothing is stored, anyone who has the URL may look, and nobody can have us draw what
// we did not say. Figures here are floats: they become pixels, never amounts.
package chart
