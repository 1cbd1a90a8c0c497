// Package refresh is which feeds there are: under what names, from where, how often
// and how long each may take. The refresh function imports those that are due, and
// the command line any of them by hand.
package refresh
